/* The argument is a number too large. */
/* @args: 99999999999999999999 */

BEGIN { trace($1); }
