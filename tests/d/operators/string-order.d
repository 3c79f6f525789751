/* Strings are compared as strcmp() does. */
/* @options: -q */

BEGIN { printf("%d%d%d%d%d%d\n", "abc" < "abd", "abc" == "abc", "b" > "abc", "abc" <= "ab", "a" != "a", "" < "a"); exit(0); }
