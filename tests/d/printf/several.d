/* One after the other. */
/* @options: -q */

BEGIN { printf("a"); printf("b"); printf("c\n"); exit(0); }
