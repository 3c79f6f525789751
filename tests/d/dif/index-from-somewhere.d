/* Behind the start, or before it. */
/* @options: -q */

BEGIN { printf("%d %d %d %d\n", index("abcabc", "c"), rindex("abcabc", "c"), index("abcabc", "c", 3), rindex("abcabc", "c", 4)); exit(0); }
