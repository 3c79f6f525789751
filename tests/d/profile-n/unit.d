/* In any unit. */
/* @options: -q */

profile-5ms { n = 1; }
tick-10ms /n/ { printf("%d\n", n); exit(0); }
