/* An aggregating function is the value of an aggregation, and nothing else. */

BEGIN { avg(1); exit(0); }
