/*
 * @probes: many probes at once
 * @dtrace: `:::` enables each probe that there is.
 * @erlbpf: More than 512 timers and tracepoints with clauses of their own are refused, because the kernel can hang
 *   if so many programs are freed at once: see [safety.md](safety.md#erlbpf-is-killed).
 */
/* @options: -q */

:::
{
	exit(0);
}
