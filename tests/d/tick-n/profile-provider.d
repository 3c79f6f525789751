/* Its provider is profile. */
/* @options: -q */

profile:::tick-10ms { printf("%s\n", probename); exit(0); }
