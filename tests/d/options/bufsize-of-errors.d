/* A record of ERROR needs 64 bytes, also if there is no such clause. */
/* @options: -q -x bufsize=63 */
/* @status: 1 */

BEGIN { exit(0); }
