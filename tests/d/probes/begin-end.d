/* BEGIN first, END last. */
/* @options: -q */

END { printf("end\n"); }
BEGIN { printf("begin\n"); exit(0); }
