/* One after the other. */
/* @options: -q */

BEGIN { x = 3; if (x == 1) { y = "one"; } else if (x == 3) { y = "three"; } else { y = "many"; } printf("%s\n", y); exit(0); }
