/* /= and *= of an int. */
/* @options: -q */

int i;
BEGIN { i = 7; i /= 2; printf("%d\n", i); i *= -2; printf("%d\n", i); exit(0); }
