/* exit() is recorded, too. */

BEGIN { i = speculation(); commit(i); exit(0); }
