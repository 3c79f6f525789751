/* And no longer. */
/* @options: -q */

BEGIN { @["a"] = sum(100); }
BEGIN { normalize(@, 100); printa(@); denormalize(@); printa(@); exit(0); }
