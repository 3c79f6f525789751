/* @options: -q */
/* Members of the kernel's structs have the types that they are declared with. */

BEGIN
{
	p = (struct kref *)alloca(sizeof (struct kref));
	p->refcount.refs.counter = 5;
	print(p);
	exit(0);
}
