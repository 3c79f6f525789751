/* Of negative numbers. */
/* @options: -q */

BEGIN { @a = avg(-10); @a = avg(-20); exit(0); }
