/* A key is any expression. */
/* @options: -q */

BEGIN { a[strjoin("ab", "cd")] = 1; printf("%d\n", a["abcd"]); exit(0); }
