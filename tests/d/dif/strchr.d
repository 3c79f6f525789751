/* From a character on. */
/* @options: -q */

BEGIN { printf("%s %s %d\n", strchr("abcabc", 'b'), strrchr("abcabc", 'b'), strchr("abc", 'x') == NULL); exit(0); }
