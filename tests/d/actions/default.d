/* Of a clause without statements, the probe is printed. */

BEGIN { }
BEGIN { exit(0); }
