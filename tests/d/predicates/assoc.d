/* With an array. */
/* @options: -q */

BEGIN { a["k"] = 1; }
BEGIN /a["k"]/ { printf("k\n"); }
BEGIN /a["l"]/ { printf("l\n"); }
BEGIN { exit(0); }
