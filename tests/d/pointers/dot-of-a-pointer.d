/* A pointer's members are behind ->. */
/* @options: -q */

struct s { int a; }; struct s *a;
BEGIN { x = a.a; exit(0); }
