static inline int first(int a)
{
	for (int i = 0; i < a; i++) {
		if (a > 1.5)
			return i;
	}
	return 0;
}

static __inline__ unsigned int second(void)
{
	return 1;
}
extern const char *const names[];
extern int third(int, ...) __attribute__((__noreturn__));
struct counted {
	__signed__ char a;
	__extension__ long long b;
} __attribute__((aligned(8)));
struct in6_addr {
	unsigned char bytes[16];
};
