/* The last one. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", rindex("abcabc", "bc"), rindex("abcabc", "bc", 3), rindex("abc", "x")); exit(0); }
