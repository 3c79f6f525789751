/* The smallest buffer. */
/* @options: -q -x bufsize=64 */

BEGIN { printf("%d\n", 1); exit(0); }
