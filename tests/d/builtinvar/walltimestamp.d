/* Time of day since 1970. */
/* @options: -q */

BEGIN { printf("%d\n", walltimestamp > 1500000000000000000); exit(0); }
