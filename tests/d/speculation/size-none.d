/* Nothing fits. */
/* @options: -q -xspecsize=0 */

BEGIN { x = speculation(); }
BEGIN { speculate(x); printf("%d\n", 1); }
BEGIN { commit(x); }
BEGIN { printf("end\n"); exit(0); }
