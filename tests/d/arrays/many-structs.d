/* @options: -q */
struct point { int x; int y; };
struct point s[100], z;
BEGIN { i = 70; z.y = 9; s[i] = z; printf("%d %d %d\n", s[i].y, s[69].y, s[70].y); exit(0); }
