/* How long a thread has the CPU. */
/* @options: -q -c $TARGET */

sched:::on-cpu
/pid == $target/
{
	self->began = timestamp;
}

sched:::off-cpu
/self->began/
{
	@["ns"] = quantize(timestamp - self->began);
	self->began = 0;
}
