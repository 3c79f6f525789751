/*
 * @command: what `-S` shows
 * @dtrace: It is the code that is loaded into the kernel: BPF, or that of illumos' own machine.
 * @erlbpf: It is a step before, in which a line is an operation of the program, on standard error.
 */
/* @options: -q -S */

BEGIN { exit(0); }
