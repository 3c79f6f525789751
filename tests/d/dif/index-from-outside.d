/* A start before the text is its beginning, one behind it its end. */
/* @options: -q */

BEGIN { printf("%d %d\n", index("hello", "l", -5), rindex("hello", "l", 10)); exit(0); }
