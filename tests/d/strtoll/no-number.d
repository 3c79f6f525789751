/* Where there is no number it is 0. */
/* @options: -q */

BEGIN { printf("%d %d\n", strtoll(""), strtoll("abc")); exit(0); }
