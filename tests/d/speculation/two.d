/* Each by itself. */
/* @options: -q -xnspec=2 */

BEGIN { i = speculation(); j = speculation(); }
BEGIN { speculate(i); printf("i\n"); }
BEGIN { speculate(j); printf("j\n"); }
BEGIN { discard(i); }
BEGIN { commit(j); }
BEGIN { exit(0); }
