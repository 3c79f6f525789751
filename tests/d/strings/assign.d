/* Strings are values: a copy is a copy. */
/* @options: -q */

BEGIN { s = "one"; t = s; s = "two"; printf("%s %s\n", s, t); exit(0); }
