/*
 * @compat: what does not fit into a speculation (`-x specsize`)
 * @illumos: the clause ends where there is no more room
 */
/* @options: -q -xspecsize=40 -xcompat=illumos */

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("%d %d\n", 1, 1); n++; }
BEGIN { speculate(i); printf("%d\n", 2); printf("%d %d %d %d\n", 2, 2, 2, 2); n += 10; }
BEGIN { speculate(i); printf("%d %d\n", 3, 3); n += 100; }
BEGIN { commit(i); }
BEGIN { printf("%d\n", n); exit(0); }
