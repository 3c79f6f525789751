/* The faster one is first. */
/* @options: -q */

tick-300ms { printf("slow\n"); exit(0); }
tick-50ms /!seen/ { seen = 1; printf("fast\n"); }
