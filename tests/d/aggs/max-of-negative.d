/* Also of negative numbers only. */
/* @options: -q */

BEGIN { @a = max(-3); @a = max(-10); exit(0); }
