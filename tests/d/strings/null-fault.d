/* To record NULL, to use it as a key, to look at its characters, to give it to a function are faults. */
/* @options: -q */

string s;

BEGIN { trace(s); }
BEGIN { printf("%s", s); }
BEGIN { trace(s[0]); }
BEGIN { @[s] = count(); }
BEGIN { m[s] = 1; }
BEGIN { trace(strlen(s)); }
BEGIN { trace(stringof(s)); }
BEGIN { x = strtok(NULL, ","); }
BEGIN { y = strtok("a,b", ","); y = strtok(NULL, ","); y = strtok(NULL, ","); printf("%d\n", y == NULL); }
BEGIN { exit(0); }
ERROR { printf("clause %d: %d %d\n", arg2, arg4, arg5); }
