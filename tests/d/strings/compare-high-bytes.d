/* Bytes are not negative. */
/* @options: -q */

BEGIN { printf("%d\n", "\xe9" > "z"); exit(0); }
