/* $1 that is no number stands for a name. */
/* @args: hello */

BEGIN { trace($1); exit(0); }
