/* The names of an application's probes are compared in the kernel: whole, or by their beginning. */
app*:::order_*_placed
{
	exit(0);
}
