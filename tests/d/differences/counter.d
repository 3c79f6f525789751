/*
 * @language: the word `counter`
 * @dtrace: It is reserved, for nothing.
 * @erlbpf: It is a name like others, because members of the kernel's structs have it.
 */
/* @options: -q */

BEGIN { counter = 3; printf("%d\n", counter); exit(0); }
