/* In a predicate. */
/* @options: -q */

BEGIN /strlen("abc") == 3/ { printf("yes\n"); exit(0); }
