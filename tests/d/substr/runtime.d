/* The same with variables. */
/* @options: -q */

BEGIN { s = "function"; i = 4; n = 3; printf("%s\n", substr(s, i, n)); exit(0); }
