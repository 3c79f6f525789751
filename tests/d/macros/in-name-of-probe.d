/* A name of a probe by an argument. */
/* @options: -q */
/* @args: BEGIN */

dtrace:::$1 { printf("ok\n"); exit(0); }
