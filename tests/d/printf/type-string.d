/* %d is for numbers. */

BEGIN { printf("%d", "one"); }
