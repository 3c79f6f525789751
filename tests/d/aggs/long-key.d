/* By a long one. */
/* @options: -q */

BEGIN { @[5000000000] = count(); exit(0); }
