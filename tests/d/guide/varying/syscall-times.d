/* How long each sort of call takes. */
/* @options: -q -c $TARGET */

syscall:::entry
/pid == $target/
{
	self->began = timestamp;
}

syscall:::return
/self->began/
{
	@[probefunc] = quantize(timestamp - self->began);
	self->began = 0;
}
