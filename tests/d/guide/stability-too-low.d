/* -x amin refuses what is less stable. */
/* @options: -xamin=Stable/Stable/Common */

BEGIN
{
	trace(curthread->pid);
	exit(0);
}
