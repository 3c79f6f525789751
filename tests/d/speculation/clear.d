/* Nor are aggregations changed. */

BEGIN { @a = count(); } BEGIN { i = speculation(); speculate(i); clear(@a); }
