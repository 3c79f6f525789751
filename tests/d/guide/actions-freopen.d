/* freopen() sends what follows to another file. */
/* @options: -q -w */

BEGIN { printf("here\n"); }
BEGIN { freopen("/dev/null"); printf("not here\n"); }
BEGIN { freopen(""); printf("here again\n"); exit(0); }
