/* How long threads live. */
/* @options: -q -c $TARGET */

proc:::lwp-start
/pid == $target && tid != pid/
{
	self->began = timestamp;
}

proc:::lwp-exit
/self->began/
{
	@["threads"] = quantize(timestamp - self->began);
}
