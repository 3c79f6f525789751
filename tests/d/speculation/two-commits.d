/* A clause may end several speculations. */
/* @options: -q -xnspec=3 */

BEGIN { i = speculation(); j = speculation(); k = speculation(); }
BEGIN { speculate(i); printf("first\n"); }
BEGIN { speculate(j); printf("second\n"); }
BEGIN { speculate(k); printf("third\n"); }
BEGIN { commit(j); discard(k); commit(i); }
BEGIN { exit(0); }
