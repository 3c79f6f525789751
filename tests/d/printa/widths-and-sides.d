/* A minus is for keys and values, on either side of the @. */
/* @options: -q */

BEGIN { @["k"] = sum(5); printa("[%-8s][%@8d][%-@8d][%@-8d]\n", @); exit(0); }
