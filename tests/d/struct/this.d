/* A variable of the clause can be one. */
/* @options: -q */

struct point { int x; int y; };
this struct point p;
BEGIN { this->p.x = 10; this->p.y = 20; printf("%d\n", this->p.x + this->p.y); exit(0); }
