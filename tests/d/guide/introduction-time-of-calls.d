/* The time of each read and write, by an associative array. */
/* @options: -q -c "dd if=/dev/zero of=/dev/null bs=1000 count=8 status=none" */

BEGIN
{
	start = timestamp;
}

syscall::read:entry,
syscall::write:entry
/pid == $target && arg0 < 2/
{
	began[tid, probefunc] = timestamp;
}

syscall::read:return,
syscall::write:return
/began[tid, probefunc] != 0/
{
	this->ns = timestamp - began[tid, probefunc];
	began[tid, probefunc] = 0;
	@took[probefunc, this->ns > 0 && this->ns < timestamp - start ? "in time" : "wrong"] = count();
}
