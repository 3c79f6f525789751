/* Decimal, octal, hexadecimal. */
/* @options: -q */

BEGIN { printf("%d %d %d %d\n", 255, 0377, 0xff, 0XFF); exit(0); }
