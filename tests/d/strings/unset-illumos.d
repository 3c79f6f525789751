/* A string that was never assigned to is empty in DTrace of illumos. */
/* @options: -q -xcompat=illumos */

string s;
BEGIN { printf("[%s] %d\n", s, strlen(s)); exit(0); }
