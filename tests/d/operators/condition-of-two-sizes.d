/* A choice has the larger type. */
/* @options: -q */

BEGIN { x = pid ? (long)1 : (int)2; printf("%d %d\n", x, sizeof (x)); exit(0); }
