/* What printa() has printed is not printed at the end. */
/* @options: -q */

BEGIN { @a = sum(1); @b = sum(2); }
BEGIN { printa(@a); exit(0); }
