/* Members lie as C lays them. */
/* @options: -q */

struct s { char a; int b; char c; long d; };
BEGIN { printf("%d %d %d %d %d\n", offsetof(struct s, a), offsetof(struct s, b), offsetof(struct s, c), offsetof(struct s, d), sizeof (struct s)); exit(0); }
