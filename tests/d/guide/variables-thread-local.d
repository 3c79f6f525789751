/* self-> is the thread's own: entries and returns are put together by it. */
/* @options: -q -c "sh -c '/usr/bin/printf one >/dev/null; /usr/bin/printf two >/dev/null'" */

syscall::write:entry
/ppid == $target/
{
	self->text = stringof(copyin(arg1, arg2));
	self->began = timestamp;
}

syscall::write:return
/self->began/
{
	@[self->text, timestamp >= self->began] = count();
	self->text = 0;
	self->began = 0;
}
