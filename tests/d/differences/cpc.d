/*
 * @probes: the provider `cpc`
 * @dtrace: It fires after so many events of a CPU's counter.
 * @erlbpf: It does not exist; use perf(1).
 */
/* @options: -q */

cpc:::cpu_cycles-all-1000000 { exit(0); }
