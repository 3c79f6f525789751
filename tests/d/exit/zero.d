/* exit() ends the program, with its status. */
/* @options: -q */

BEGIN { printf("before\n"); exit(0); }
