/* A prefix is less. */
/* @options: -q */

BEGIN { s = "abc"; t = "abcd"; printf("%d%d%d\n", s < t, s == t, t >= s); exit(0); }
