/* A record must fit in the buffer: not enabled at all. */
/* @options: -q -x bufsize=8 */
/* @status: 1 */

BEGIN { printf("%d\n", 1); exit(0); }
