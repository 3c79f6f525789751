/* A number is the probe with that id, and no other: 1 is BEGIN, 2 is END. */
/* @options: -q */

1, 2 { printf("%s:%s\n", probeprov, probename); }
tick-1ms { exit(0); }
