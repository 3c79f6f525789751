/* commit() comes before what is recorded. */

BEGIN { i = speculation(); trace(1); commit(i); }
