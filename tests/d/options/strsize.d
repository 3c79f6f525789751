/* Longer strings. */
/* @options: -q -xstrsize=512 */

BEGIN { s = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"; t = strjoin(s, s); u = strjoin(t, s); printf("%d\n", strlen(u)); exit(0); }
