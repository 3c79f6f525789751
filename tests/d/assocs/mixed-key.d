/* So are several values. */
/* @options: -q */

BEGIN { a["x", 1] = 11; a["x", 2] = 12; a["y", 1] = 21; printf("%d %d %d %d\n", a["x", 1], a["x", 2], a["y", 1], a["y", 2]); exit(0); }
