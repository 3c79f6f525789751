/* An element counts. */
/* @options: -q */

BEGIN { a["k"]++; a["k"]++; a["k"] += 5; printf("%d\n", a["k"]); exit(0); }
