/* A string of one character. */
/* @options: -q -xstrsize=1 */

BEGIN { x = "abc"; printf("%s|%d|%s\n", x, strlen(x), strjoin(x, x)); exit(0); }
