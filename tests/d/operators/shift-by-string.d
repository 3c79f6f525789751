/* << is for integers. */
/* @options: -q */

BEGIN { x = 1 << "a"; exit(0); }
