/* Names that look like keywords. */
/* @options: -q */

BEGIN { counters = 1; iffy = 2; selfish = 3; thistle = 4; printf("%d\n", counters + iffy + selfish + thistle); exit(0); }
