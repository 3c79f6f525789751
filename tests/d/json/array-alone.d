/* An array without a name. */
/* @options: -q */

BEGIN { printf("%s\n", json("[10,20,30]", "[2]")); exit(0); }
