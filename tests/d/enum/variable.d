/* A variable can have its type. */
/* @options: -q */

enum color { RED, GREEN = 5, BLUE } c;
BEGIN { c = GREEN; printf("%d %d\n", c, c == GREEN); exit(0); }
