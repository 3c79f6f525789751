/* In any unit. */
/* @options: -q */

profile-5ms { n = 1; }
tick-500ms { printf("%d\n", n); exit(0); }
