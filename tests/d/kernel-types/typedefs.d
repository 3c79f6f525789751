/* @options: -q */
/* Names of types that the kernel's headers define. */
struct s { __u32 a; __u8 b; __s64 c; gfp_t d; uint e; };
struct s v;
gfp_t flags;
self __u16 small;
uint many[__u32];
typedef __be32 *address;

BEGIN
{
	v.a = -1;
	v.b = 257;
	v.c = -5;
	v.d = 7;
	v.e = -1;
	printf("%u %d %d %d %u %d\n", v.a, v.b, v.c, v.d, v.e, sizeof (struct s));
	flags = -1;
	self->small = 65537;
	many[1] = -1;
	printf("%u %d %u\n", flags, self->small, many[1]);
	printf("%d %d %d %d\n", (__u8)257, (__s32)4294967295, sizeof (sector_t), sizeof (address));
	p = (__u16 *)alloca(4);
	*p = 65537;
	printf("%d\n", *p);
	exit(0);
}
