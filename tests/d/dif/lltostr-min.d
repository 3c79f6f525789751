/* The least number too. */
/* @options: -q */

long long x;
BEGIN { x = 1; x = x << 63; printf("%s\n", lltostr(x)); exit(0); }
