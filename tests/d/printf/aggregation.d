/* Aggregations are printed by printa(). */

BEGIN { @a = count(); printf("%@d", 1); }
