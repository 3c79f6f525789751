/* A clause runs if its predicate is true. */
/* @options: -q */

BEGIN { x = 1; }
BEGIN /x == 1/ { printf("yes\n"); }
BEGIN /x == 2/ { printf("no\n"); }
BEGIN { exit(0); }
