/* A name for an array. */
/* @options: -q */

typedef int vec[3]; vec v;
BEGIN { v[2] = 5; printf("%d %d\n", v[2], sizeof (vec)); exit(0); }
