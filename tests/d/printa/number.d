/* It is an aggregation. */

BEGIN { @a = count(); printa(1); }
