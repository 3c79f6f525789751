/* Characters beside letters stay. */
/* @options: -q */

BEGIN { printf("%s\n", tolower("[@`{Z")); exit(0); }
