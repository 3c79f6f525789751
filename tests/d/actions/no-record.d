/* A clause that assigns only is printed too. */

BEGIN { x = 1; }
BEGIN { exit(0); }
