/* Of a variable too. */
/* @options: -q */

BEGIN { s = "hello"; printf("%d\n", strlen(s)); exit(0); }
