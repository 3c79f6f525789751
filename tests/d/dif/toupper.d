/* Large and small letters. */
/* @options: -q */

BEGIN { printf("%s %s\n", toupper("Hello, 1"), tolower("Hello, 1")); exit(0); }
