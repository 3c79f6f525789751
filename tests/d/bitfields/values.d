/* Bit-fields hold as much as they have bits. */
/* @options: -q */

struct bits { unsigned int a:3; unsigned int b:5; int c:4; };
struct bits x;
BEGIN { x.a = 7; x.b = 21; x.c = -3; printf("%d %d %d\n", x.a, x.b, x.c); exit(0); }
