/* Operations on ETS tables, by node, operation and table. */
vm*:::ets-call
{
	@calls[pid, probefunc, copyinstr(arg1)] = count();
}
