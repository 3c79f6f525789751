/* A star takes an argument. */

BEGIN { printf("%*d", 1); }
