/* What was never assigned is not printed. */
/* @options: -q */

BEGIN { x = 0; }
BEGIN /x/ { @a = count(); }
BEGIN { @b = count(); exit(0); }
