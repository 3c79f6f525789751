/* @options: -q */
/* Types may say whose they are, as tags and as typedefs: D has what the program declares. */

struct qstr { int own; };
typedef char gfp_t;

BEGIN
{
	p = (struct D`qstr *)alloca(sizeof (struct D`qstr));
	p->own = 7;
	printf("%d %d %d\n", p->own, sizeof (struct D`qstr), sizeof (gfp_t));
	printf("%d %d\n", sizeof (vmlinux`gfp_t), (vmlinux`u8)257);
	exit(0);
}
