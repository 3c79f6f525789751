/*
 * @language: the sign of a remainder
 * @dtrace: Oracle's DTrace makes it negative if the signs of the operands differ.
 * @erlbpf: `%` has the sign of its left operand, as in C and in DTrace of illumos.
 */
/* @options: -q */

BEGIN { a = 7; b = -2; printf("%d %d %d\n", a % b, -a % -b, -a % 2); exit(0); }
