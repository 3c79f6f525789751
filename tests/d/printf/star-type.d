/* That is a number. */

BEGIN { printf("%*d", "a", 1); }
