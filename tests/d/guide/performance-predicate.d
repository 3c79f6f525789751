/* The thread is marked once, so that other clauses only look at the mark. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

syscall::read:entry
/pid == $target && arg0 == 0/
{
	self->traced = 1;
}

syscall::write:entry
/self->traced/
{
	@["by the marked thread"] = count();
}
