/* The first value gives the type. */
/* @options: -q */

BEGIN { s = "text"; n = 5; l = 5LL; printf("%d %d %s\n", sizeof (n), sizeof (l), s); exit(0); }
