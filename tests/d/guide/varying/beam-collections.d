/* Functions of a BEAM: how often and how long it collects. */

pid$target:beam.smp:erts_garbage_collect*:entry
{
	self->began = timestamp;
}

pid$target:beam.smp:erts_garbage_collect*:return
/self->began/
{
	@["ns"] = quantize(timestamp - self->began);
	self->began = 0;
}
