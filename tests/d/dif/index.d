/* Where a string is in another. */
/* @options: -q */

BEGIN { printf("%d %d %d %d\n", index("foobar", "bar"), index("foobar", "x"), index("aXbX", "X", 2), index("abc", "abc")); exit(0); }
