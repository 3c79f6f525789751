/* Values have 64 bits. */
/* @options: -q */

BEGIN { @ = sum(9000000000000000000); exit(0); }
