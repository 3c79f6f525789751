/* A string that is NULL is nothing to work with: each of these is a fault. */
/* @options: -q */

string s;
BEGIN { trace(strlen(s)); }
BEGIN { trace(basename(s)); }
BEGIN { trace(strjoin(s, "a")); }
BEGIN { trace(index(s, "a")); }
BEGIN { trace(substr(s, 0)); }
BEGIN { trace(toupper(s)); }
BEGIN { a[s] = 1; }
BEGIN { exit(0); }
ERROR { printf("%d ", arg4); }
END { printf("\n"); }
