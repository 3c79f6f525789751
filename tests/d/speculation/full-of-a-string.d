/* A string is counted at its full size. */
/* @options: -q -xspecsize=64 */

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("%s\n", probename); n++; }
BEGIN { commit(i); }
BEGIN { printf("%d\n", n); exit(0); }
