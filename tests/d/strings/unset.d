/* A string that was never assigned to is empty. */
/* @options: -q */

string s;
BEGIN { printf("[%s] %d\n", s, strlen(s)); exit(0); }
