/*
 * @language: a variable that changes in its own assignment
 * @dtrace: Oracle's DTrace takes the left operand of `i += i++` first; C leaves it open.
 * @erlbpf: The right operand is computed first.
 */
/* @options: -q */

BEGIN { i = 1; i += i++; printf("%d\n", i); exit(0); }
