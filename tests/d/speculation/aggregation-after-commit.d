/* Nor an aggregation. */

BEGIN { i = speculation(); commit(i); @a = count(); }
