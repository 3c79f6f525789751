/* exit() evaluates its argument once. */
/* @options: -q */
/* @status: 5 */

BEGIN { x = 5; exit(x++); }
END { printf("%d\n", x); }
