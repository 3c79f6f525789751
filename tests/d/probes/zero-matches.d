/* With -Z, a probe that does not exist is none. */
/* @options: -q -Z */

nosuchprobe { printf("never\n"); }
BEGIN { printf("ok\n"); exit(0); }
