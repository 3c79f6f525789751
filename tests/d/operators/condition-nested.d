/* It groups to the right. */
/* @options: -q */

BEGIN { x = 2; printf("%s\n", x == 1 ? "one" : x == 2 ? "two" : "many"); exit(0); }
