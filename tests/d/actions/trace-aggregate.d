/* What an aggregation is given has no value. */

BEGIN { trace(@a = count()); exit(0); }
