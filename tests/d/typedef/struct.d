/* Also of a struct. */
/* @options: -q */

typedef struct point { int x; int y; } point_t;
point_t p;
BEGIN { p.x = 3; p.y = 4; printf("%d %d\n", p.x + p.y, sizeof (point_t)); exit(0); }
