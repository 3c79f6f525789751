/* -w allows it. */
/* @options: -q -w */

BEGIN { system(":"); printf("ok\n"); exit(0); }
