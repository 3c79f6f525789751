/* Both of two timers fire, and each again. */
/* @options: -q */
tick-30ms { slow++; }
tick-5ms { fast++; }
tick-5ms /slow >= 2 && fast >= 2/ { printf("both\n"); exit(0); }
