/* As many records as its size has room for. */
/* @options: -q -xspecsize=100 */

BEGIN { x = speculation(); }
BEGIN { speculate(x); printf("%d\n", 1); }
BEGIN { speculate(x); printf("%d\n", 2); }
BEGIN { commit(x); }
BEGIN { exit(0); }
