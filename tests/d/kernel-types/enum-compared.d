/* On the right of an enum of the kernel's its names are known. */
/* @options: -q */

BEGIN
{
	x = (enum pid_type)1;
	printf("%d %d %d\n", x == PIDTYPE_TGID, x == PIDTYPE_PID, x < PIDTYPE_PGID);
	exit(0);
}
