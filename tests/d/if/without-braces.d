/* Without braces. */
/* @options: -q */

BEGIN { x = 1; if (x) printf("yes\n"); else printf("no\n"); exit(0); }
