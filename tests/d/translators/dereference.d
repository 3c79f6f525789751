/* @options: -q */
/* What a translated pointer points to. */

struct s { int a; };
translator struct s < int n > { a = n; };
BEGIN { printf("%d\n", (*xlate <struct s *> (3)).a); exit(0); }
