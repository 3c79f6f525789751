/* Structs in structs. */
/* @options: -q */

struct in { short a; int b; };
struct out { char c; struct in i; };
struct out x;
BEGIN { x.i.a = 7; x.i.b = 8; x.c = 9; printf("%d %d %d %d\n", x.i.a, x.i.b, x.c, sizeof (struct out)); exit(0); }
