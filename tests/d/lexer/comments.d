/* Comments anywhere. */
/* @options: -q */

/* before */ BEGIN /* probe */ { /* body */ printf(/* argument */ "ok\n"); /* lines
of comment */ exit(0); /* last */ } /* end */
