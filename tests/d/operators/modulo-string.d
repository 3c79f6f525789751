/* % is for integers. */

BEGIN { trace("a" % 2); }
