/* And back. */
/* @options: -q */

BEGIN { printf("%d\n", strtoll(lltostr(-987654321))); exit(0); }
