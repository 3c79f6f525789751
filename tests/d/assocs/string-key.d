/* Strings are keys. */
/* @options: -q */

BEGIN { a["one"] = 1; a["two"] = 2; s = "two"; printf("%d %d %d\n", a["one"], a[s], a["three"]); exit(0); }
