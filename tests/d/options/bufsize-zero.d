/* No buffer: not enabled at all. */
/* @options: -q -x bufsize=0 */
/* @status: 1 */

BEGIN { printf("%d\n", 1); exit(0); }
