/* Samples on every CPU. */
/* @options: -q */

profile-97 { n = 1; }
tick-10ms /n/ { printf("%d\n", n); exit(0); }
