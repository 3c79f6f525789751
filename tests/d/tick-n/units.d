/* And in other units. */
/* @options: -q */

tick-10000us { n++; }
tick-10000000ns { m++; }
tick-100hz { k++; }
tick-20ms /n && m && k/ { printf("%d\n", n > 0 && m > 0 && k > 0); exit(0); }
