/* With two dollars, as a string. */
/* @options: -q */
/* @args: hello */

BEGIN { printf("%s\n", $$1); exit(0); }
