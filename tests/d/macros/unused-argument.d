/* Each argument must be used. */
/* @args: 1 2 */

BEGIN { trace($1); exit(0); }
