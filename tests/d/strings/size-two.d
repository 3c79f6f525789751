/* A string of two characters. */
/* @options: -q -xstrsize=2 */

BEGIN { x = "abc"; printf("%s|%d|%s\n", x, strlen(x), strjoin(x, x)); exit(0); }
