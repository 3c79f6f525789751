/* There is no translator of that type. */
/* @options: -q */

struct o { int b; };
BEGIN { x = xlate < struct o > (1).b; exit(0); }
