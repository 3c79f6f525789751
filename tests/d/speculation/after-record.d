/* It comes before what it records. */

BEGIN { i = speculation(); trace(1); speculate(i); }
