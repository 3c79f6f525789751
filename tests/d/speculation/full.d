/* A clause ends where its speculation is full: what it would have done after that is not done. */
/* @options: -q -xspecsize=64 */

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("%d\n", 1); n++; }
BEGIN { speculate(i); printf("%s\n", "a text that is much longer than what there is room for in a speculation of 64"); n++; }
BEGIN { speculate(i); printf("%d %d\n", n, 2); n++; }
BEGIN { commit(i); }
BEGIN { printf("%d\n", n); exit(0); }
