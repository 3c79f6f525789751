/* The numbers of the clause and of the action, from 1: every statement is one. */
/* @options: -q -xcompat=illumos */

ERROR { printf("%d %d\n", arg1, arg2); exit(0); }
BEGIN { }
BEGIN { n = 1; trace(n); trace(1 / (pid - pid)); }
