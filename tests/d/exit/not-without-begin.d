/* The last firing before the end is printed. */
/* @options: -q */

tick-10ms { n++; printf("%d\n", n); }
tick-10ms /n == 3/ { printf("last\n"); exit(0); }
