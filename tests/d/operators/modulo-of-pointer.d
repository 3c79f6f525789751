/* % is for integers. */
/* @options: -q */

BEGIN { x = (char *)1 % 2; exit(0); }
