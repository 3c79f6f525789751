/* What is longer than strsize is cut. */
/* @options: -q */

BEGIN { s = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"; t = strjoin(s, s); u = strjoin(t, s); printf("%d\n", strlen(u) <= 256); exit(0); }
