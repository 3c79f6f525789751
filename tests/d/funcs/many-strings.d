/* Many strings at a time. */
/* @options: -q */

BEGIN { printf("%s\n", strjoin(strjoin(strjoin("a", "b"), strjoin("c", "d")), strjoin(strjoin("e", "f"), strjoin("g", "h")))); exit(0); }
