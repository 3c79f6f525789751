/* A clause that assigns only records nothing, and is not printed. */

BEGIN { x = 1; }
BEGIN { exit(0); }
