/* Commands are run in order with the output. */
/* @options: -q -w */

BEGIN { printf("before\n"); system("echo hello %d %s", 5, "x"); printf("after\n"); exit(0); }
