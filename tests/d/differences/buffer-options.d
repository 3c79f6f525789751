/*
 * @command: options of DTrace's buffers
 * @dtrace: `bufpolicy=ring` keeps the last records only, `aggpercpu` prints the values of each CPU, and with a slow
 *   `aggrate` printa() shows values that are older than it.
 * @erlbpf: They have no effect and a line says so: records are printed as they come, and the values of an
 *   aggregation are those of all CPUs, and of the moment in which they are printed. Options that only concern buffers and
 *   linking are accepted; they are listed [above](#options-of--x).
 */
/* @options: -q -xbufpolicy=ring -xaggpercpu -xaggrate=1h */

BEGIN { @ = count(); exit(0); }
