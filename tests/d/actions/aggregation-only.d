/* A clause that only aggregates is not. */

BEGIN { @ = count(); }
BEGIN { exit(0); }
