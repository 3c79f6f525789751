/* sizeof takes an expression too. */
/* @options: -q */

int i; long l;
BEGIN { printf("%d %d %d\n", sizeof (i), sizeof (l), sizeof (i + l)); exit(0); }
