/* It ends timers too. */
/* @options: -q */
/* @status: 2 */

tick-10ms { printf("tick\n"); exit(2); }
