/*
 * @language: `sizeof (NULL)`
 * @dtrace: Oracle's DTrace gives the size of another type.
 * @erlbpf: It is a pointer, as in DTrace of illumos.
 */
/* @options: -q */

BEGIN { printf("%d\n", sizeof (NULL)); exit(0); }
