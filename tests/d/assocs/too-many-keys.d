/* The first use says how many keys there are. */
/* @options: -q */

BEGIN { a[1] = 1; a[1, 2] = 2; exit(0); }
