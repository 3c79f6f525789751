/* BEGIN has no arguments of value. */
/* @options: -q */

BEGIN { x = arg0; printf("ok\n"); exit(0); }
