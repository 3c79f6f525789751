/* Without a body, the probe is printed. */

BEGIN
BEGIN { exit(0); }
