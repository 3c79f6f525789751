/* %s. */
/* @options: -q */

BEGIN { s = "two"; printf("%s %s\n", "one", s); exit(0); }
