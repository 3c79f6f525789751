/* What an aggregation is given has no value. */

BEGIN { x = 1, @a = count(); exit(0); }
