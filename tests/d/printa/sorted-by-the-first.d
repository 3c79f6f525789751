/* Of several aggregations, the first one's values sort. */
/* @options: -q */

BEGIN { @a[1] = sum(9); @b[1] = sum(1); @a[2] = sum(1); @b[2] = sum(9); printa("%d %@d %@d\n", @a, @b); exit(0); }
