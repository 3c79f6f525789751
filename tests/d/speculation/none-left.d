/* There is one unless more are asked for; then 0 is given. */
/* @options: -q */

BEGIN { i = speculation(); j = speculation(); printf("%d %d\n", i, j); exit(0); }
