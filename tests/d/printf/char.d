/* %c. */
/* @options: -q */

BEGIN { printf("%c%c%c\n", 'a', 66, 0x43); exit(0); }
