/* A struct can point to its like. */
/* @options: -q */

struct node { int value; struct node *next; };
BEGIN { printf("%d\n", sizeof (struct node)); exit(0); }
