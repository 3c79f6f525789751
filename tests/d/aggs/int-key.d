/* By a number. */
/* @options: -q */

BEGIN { @[5] = sum(2); @[-7] = sum(1); exit(0); }
