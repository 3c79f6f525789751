/*
 * @language: `chill`
 * @dtrace: It makes the CPU wait.
 * @erlbpf: It is an error, because a BPF program cannot wait.
 */
/* @options: -w */

BEGIN { chill(5); exit(0); }
