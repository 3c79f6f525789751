/* With widths. */
/* @options: -q */

BEGIN { @["k", 3] = sum(7); }
BEGIN { printa("[%-5s] [%4d] [%@6d]\n", @); exit(0); }
