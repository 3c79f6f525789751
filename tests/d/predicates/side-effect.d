/* That counts. */
/* @options: -q */

tick-5ms /n++ == 3/ { printf("%d\n", n); exit(0); }
