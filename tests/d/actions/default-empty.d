/* An empty body is the same. */

BEGIN { }
BEGIN { exit(0); }
