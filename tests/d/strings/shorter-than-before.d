/* Nothing of a longer text is left, also as a key. */
/* @options: -q */

BEGIN { s = "longer text"; s = "ab"; printf("[%s] %d %d\n", s, strlen(s), s == "ab"); a[s] = 1; printf("%d\n", a["ab"]); exit(0); }
