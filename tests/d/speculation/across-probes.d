/* From one probe to another. */
/* @options: -q */

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("begin\n"); }
tick-50ms { commit(i); }
tick-100ms { exit(0); }
