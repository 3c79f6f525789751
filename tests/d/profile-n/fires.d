/* Samples on every CPU. */
/* @options: -q */

profile-97 { n = 1; }
tick-500ms { printf("%d\n", n); exit(0); }
