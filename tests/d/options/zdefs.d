/* -x is -Z. */
/* @options: -q -xzdefs */

nosuchprobe { exit(1); }
BEGIN { printf("ok\n"); exit(0); }
