/* A speculation can be had again after it was committed. */
/* @options: -q -xnspec=1 */

BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("one\n"); }
BEGIN { commit(a); }
BEGIN { printf("two\n"); exit(0); }
