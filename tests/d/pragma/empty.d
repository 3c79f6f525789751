/* @options: -q */
/* A pragma that says nothing is none. */
#pragma
#pragma D
BEGIN { printf("here"); exit(0); }
