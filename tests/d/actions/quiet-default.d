/* With quiet, the default action prints nothing. */
/* @options: -q */

BEGIN { }
BEGIN { printf("x\n"); exit(0); }
