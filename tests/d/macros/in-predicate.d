/* In a predicate. */
/* @options: -q */
/* @args: 3 */

BEGIN /$1 == 3/ { printf("yes\n"); exit(0); }
