/* -x is -q. */
/* @options: -xquiet */

BEGIN { printf("ok\n"); exit(0); }
