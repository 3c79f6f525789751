/* There is nothing to trace in what has no value. */

BEGIN { trace((void)1); }
