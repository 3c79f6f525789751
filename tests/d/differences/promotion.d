/*
 * @language: `char` and `short` in expressions
 * @dtrace: Oracle's DTrace computes with them in their own type.
 * @erlbpf: They are promoted to `int`, as in C and in DTrace of illumos.
 */
/* @options: -q */

BEGIN { c = (char)100; s = (short)30000; printf("%d %d %d\n", sizeof (c + c), c + c, s + s); exit(0); }
