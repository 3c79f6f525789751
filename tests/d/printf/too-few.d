/* A conversion has a value. */

BEGIN { printf("%d %d", 1); }
