/* A hundred records, and not one is lost. */
/* @options: -q */

tick-1ms /n < 100/ { n++; @ = count(); printf("%d\n", n); }
tick-1ms /n == 100/ { m++; }
tick-1ms /m == 2/ { trunc(@); exit(0); }
