/* Members of a translated struct, both ways. */
/* @options: -q */

struct i { int a; }; struct o { int b; int c; };
translator struct o < struct i *p > { b = p->a + 1; c = p->a * 2; };
BEGIN { q = (struct i *)alloca(4); q->a = 5; printf("%d %d\n", xlate < struct o > (q).b, xlate < struct o * > (q)->c); exit(0); }
