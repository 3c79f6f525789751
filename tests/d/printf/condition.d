/* An argument is any expression. */
/* @options: -q */

BEGIN { x = 1; printf("%s %d\n", x ? "yes" : "no", x + (x << 4)); exit(0); }
