/* System calls of a BEAM. */

syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}
