/*
 * @compat: what does not fit into a speculation (`-x specsize`)
 * @oracle: a record that is too large for any ends its clause at `speculate()`; one that does not fit any more is lost,
 *   and its clause goes on
 */
/* @options: -q -xspecsize=40 -xcompat=oracle */

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("%d %d\n", 1, 1); n++; }
BEGIN { speculate(i); printf("%d\n", 2); printf("%d %d %d %d\n", 2, 2, 2, 2); n += 10; }
BEGIN { speculate(i); printf("%d %d\n", 3, 3); n += 100; }
BEGIN { commit(i); }
BEGIN { printf("%d\n", n); exit(0); }
