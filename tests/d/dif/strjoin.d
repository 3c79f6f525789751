/* Two strings make one. */
/* @options: -q */

BEGIN { s = "foo"; printf("%s %s %s\n", strjoin(s, "bar"), strjoin("", s), strjoin(s, "")); exit(0); }
