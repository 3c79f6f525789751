/* Without quiet, behind the probe. */

BEGIN { @ = sum(7); }
BEGIN { printa("value %@d", @); exit(0); }
