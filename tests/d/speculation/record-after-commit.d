/* And nothing is recorded beside it. */

BEGIN { i = speculation(); commit(i); trace(1); }
