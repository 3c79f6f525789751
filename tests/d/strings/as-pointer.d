/* Its characters are reached through a pointer. */
/* @options: -q */

BEGIN { p = (char *)"xyz"; printf("%c %c %s\n", *p, p[1], stringof((char *)"xyz" + 2)); exit(0); }
