/* What is spawned, by node: rate(erlbpf_script_spawns_total[5m]) is processes per second. */
erlang*:::process-spawn
{
	@[pid, copyinstr(arg1)] = count();
}
