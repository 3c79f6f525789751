/* A record that can never fit ends its clause where it speculates; one that does not fit any more is lost, and no more. */
/* @options: -q -xspecsize=40 */

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("%d %d\n", 1, 1); n++; }
BEGIN { speculate(i); printf("%d %d %d %d %d\n", 2, 2, 2, 2, 2); n += 10; }
BEGIN { speculate(i); printf("%d %d\n", 3, 3); n += 100; }
BEGIN { speculate(i); printf("4\n"); n += 1000; }
BEGIN { commit(i); }
BEGIN { printf("%d\n", n); exit(0); }
