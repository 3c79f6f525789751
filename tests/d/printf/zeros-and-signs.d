/* Padding with zeros, signs, blanks for signs. */
/* @options: -q */

BEGIN { printf("%05d|%+d|% d\n", 42, 42, 42); exit(0); }
