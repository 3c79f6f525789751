/* And the probe. */
/* @options: -q */

BEGIN { x = 1; }
tick-10ms { x++; printf("%d\n", x); exit(0); }
END { printf("end %d\n", x); }
