/* An aggregation is assigned an aggregating function. */

BEGIN { @a = 1; }
