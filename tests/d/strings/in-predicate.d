/* Strings in a predicate. */
/* @options: -q */

BEGIN { s = "yes"; }
BEGIN /s == "yes"/ { printf("1\n"); }
BEGIN /s == "no"/ { printf("2\n"); }
BEGIN /s != "no"/ { printf("3\n"); exit(0); }
