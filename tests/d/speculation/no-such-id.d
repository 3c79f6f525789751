/* An id that no speculation can have is a fault; 0, and one that is free, are nothing. */
/* @options: -q -xnspec=2 */

BEGIN { commit(0); discard(1); commit(2); n++; }
BEGIN { commit(3); n++; }
BEGIN { discard(-1); n++; }
BEGIN { printf("%d\n", n); exit(0); }
ERROR { printf("fault %d\n", arg4); }
