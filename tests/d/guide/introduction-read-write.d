/* Each read and write of a process with its arguments, and what it returns. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=2 status=none" */

syscall::read:entry,
syscall::write:entry
/pid == $target && arg0 < 2/
{
	printf("%s(%d, %4d)", probefunc, arg0, arg2);
	self->shown = 1;
}

syscall::read:return,
syscall::write:return
/self->shown/
{
	printf(" = %d\n", arg1);
	self->shown = 0;
}
