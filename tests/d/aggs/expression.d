/* The value is any expression. */
/* @options: -q */

BEGIN { x = 6; @ = sum(x * 7 + 1); exit(0); }
