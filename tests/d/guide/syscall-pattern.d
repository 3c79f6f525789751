/* Calls by a pattern. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

syscall::*write:entry
/pid == $target/
{
	@[probefunc] = count();
}
