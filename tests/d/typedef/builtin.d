/* A type is not named as a built-in variable. */

typedef int pid;
BEGIN { exit(0); }
