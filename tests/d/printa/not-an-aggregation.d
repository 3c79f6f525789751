/* Behind the format are aggregations. */

BEGIN { x = 1; printa("%@d", x); }
