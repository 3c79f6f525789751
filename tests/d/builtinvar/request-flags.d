/* What scripts ask of b_flags and of pr_stype. */
/* @options: -q */

BEGIN
{
	printf("%x %x %x %x %x %x %x\n", B_DONE, B_ERROR, B_PAGEIO, B_PHYS, B_READ, B_WRITE, B_ASYNC);
	printf("%d %d %d\n", SOBJ_MUTEX, SOBJ_CV, SOBJ_SHUTTLE);
	printf("%d\n", ENOTSUP == EOPNOTSUPP);
	exit(0);
}
