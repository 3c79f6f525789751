/* System calls of a BEAM. */
/* @options: -q -p $NODE */

syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}
