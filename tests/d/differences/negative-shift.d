/*
 * @language: `>>` of a negative constant
 * @dtrace: Oracle's DTrace fills it with zeros when the program is compiled.
 * @erlbpf: It keeps the sign, as it does when the program runs, and as in DTrace of illumos.
 */
/* @options: -q */

BEGIN { x = -16; printf("%d %d\n", -16 >> 2, x >> 2); exit(0); }
