/* Suffixes. */
/* @options: -q */

BEGIN { printf("%d %d %d %d\n", sizeof (1), sizeof (1L), sizeof (1UL), sizeof (1ull)); exit(0); }
