/* And no other. */

BEGIN { printf("%ld", 1); }
