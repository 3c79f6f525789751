/* In the name of a probe. */
/* @options: -q */
/* @args: 20 */

tick-$1ms { printf("%s\n", probename); exit(0); }
