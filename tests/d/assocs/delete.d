/* An element that is 0 is gone. */
/* @options: -q */

BEGIN { a["k"] = 5; a["k"] = 0; printf("%d\n", a["k"]); exit(0); }
