/* Functions of functions. */
/* @options: -q */

BEGIN { printf("%d %s\n", strlen(strjoin("abc", "de")), substr(strjoin("abc", "de"), index("xyz", "z"))); exit(0); }
