/* Of END too. */
/* @options: -q */

BEGIN { exit(0); }
END { printf("%s %s\n", probeprov, probename); }
