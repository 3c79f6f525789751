/* A string of 200 characters. */
/* @options: -q */

BEGIN { s = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"; t = strjoin(s, s); printf("%d %s\n", strlen(t), substr(t, 195)); exit(0); }
