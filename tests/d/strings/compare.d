/* Content counts. */
/* @options: -q */

BEGIN { s = strjoin("a", "b"); printf("%d %d\n", s == "ab", s == "abc"); exit(0); }
