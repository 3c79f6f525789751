/* File descriptors of calls, in steps of one. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

syscall::write:entry,
syscall::read:entry
/pid == $target && arg0 < 2/
{
	@ = lquantize(arg0, 0, 4, 1);
}
