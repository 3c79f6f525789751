/*
 * @language: `breakpoint`
 * @dtrace: It stops the machine in the kernel's debugger.
 * @erlbpf: It is an error: erlbpf must not harm a machine.
 */
/* @options: -w */

BEGIN { breakpoint(); exit(0); }
