/* @options: -q */
/* An enum of the kernel's brings its names. */
enum pid_type t;

BEGIN
{
	t = PIDTYPE_TGID;
	printf("%d %d %d\n", t, PIDTYPE_PGID, sizeof (enum pid_type));
	exit(0);
}
