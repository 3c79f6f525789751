/*
 * @language: `panic`
 * @dtrace: It crashes the machine.
 * @erlbpf: It is an error: erlbpf must not harm a machine.
 */
/* @options: -w */

BEGIN { panic(); exit(0); }
