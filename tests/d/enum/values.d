/* Values count up. */
/* @options: -q */

enum color { RED, GREEN = 5, BLUE };
BEGIN { printf("%d %d %d\n", RED, GREEN, BLUE); exit(0); }
