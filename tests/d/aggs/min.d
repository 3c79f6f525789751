/* The least. */
/* @options: -q */

BEGIN { @a = min(3); @a = min(-1); @a = min(40); exit(0); }
