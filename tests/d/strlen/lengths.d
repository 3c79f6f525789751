/* The number of characters. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", strlen(""), strlen("a"), strlen("hello world")); exit(0); }
