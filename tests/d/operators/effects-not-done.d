/* What need not be known has no effect. */
/* @options: -q */

BEGIN { x = 0; y = 0 && x++; z = 1 || x++; printf("%d\n", x); exit(0); }
