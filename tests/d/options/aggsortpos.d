/* By the second aggregation. */
/* @options: -q -xaggsortpos=1 */

BEGIN { @a["x"] = sum(1); @b["x"] = sum(9); @a["y"] = sum(2); @b["y"] = sum(3); }
BEGIN { printa("%s %@d %@d\n", @a, @b); exit(0); }
