/* They share words. */
/* @options: -q */

struct bits { unsigned int a:3; unsigned int b:5; unsigned int c:24; unsigned int d:1; };
BEGIN { printf("%d\n", sizeof (struct bits)); exit(0); }
