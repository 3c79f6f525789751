/* From one probe to another. */
/* @options: -q */

int n;

BEGIN { i = speculation(); }
BEGIN { speculate(i); printf("begin\n"); }
tick-10ms /n == 0/ { commit(i); }
tick-10ms /n++ == 1/ { exit(0); }
