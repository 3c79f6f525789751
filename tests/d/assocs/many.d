/* Many elements. */
/* @options: -q */

BEGIN { n = 0; }
tick-1ms /n < 100/ { a[n] = n * n; n++; }
tick-1ms /n == 100/ { printf("%d %d %d\n", a[0], a[50], a[99]); exit(0); }
