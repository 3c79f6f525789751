/* The greatest. */
/* @options: -q */

BEGIN { @a = max(3); @a = max(-1); @a = max(40); exit(0); }
