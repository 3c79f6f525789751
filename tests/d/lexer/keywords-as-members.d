/* Names that look like keywords. */
/* @options: -q */

BEGIN { counter = 1; iffy = 2; selfish = 3; thistle = 4; printf("%d\n", counter + iffy + selfish + thistle); exit(0); }
