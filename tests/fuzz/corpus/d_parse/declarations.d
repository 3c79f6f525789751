#pragma D option strsize=1k
typedef struct foo { int a : 3, b; union { char c[4]; long d; }; } foo_t;
enum e { A, B = 'b', C = A + 4 };
self string s[int, string];
this foo_t *f;
inline int twice[int x] = 2 * x;
translator foo_t < struct foo *p > { a = p->a; };
pid$1:libc.so.6:ma*[lo]?:entry, 17
/ self->s[1, "x"] == $$3 && (uint64_t)arg0 > 0x10ull ^^ x /
{
	@a[ustack(3), probefunc] = quantize(timestamp - self->t, 1);
	this->f = xlate <foo_t *>(args[0]);
	x = sizeof (foo_t) + offsetof(struct foo, d) ? stringof(`jiffies) : "a\tb\x41\101";
	if (x) { x++; } else --y
}
