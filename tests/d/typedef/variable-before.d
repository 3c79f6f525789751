/* A type is not named as a variable. */

int x;
typedef int x;
BEGIN { exit(0); }
