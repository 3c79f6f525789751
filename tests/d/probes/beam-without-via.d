/* Breakpoints of the VM change a node: they are asked for. */
beam*:lists:map/2:entry
{
	exit(0);
}
