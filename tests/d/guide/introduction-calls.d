/* How often a process makes each of two system calls. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

syscall::write:entry,
syscall::read:entry
/pid == $target && arg0 < 2/
{
	@calls[probefunc, (int)arg0] = count();
}
