/* A string is not compared with a number. */

BEGIN { trace("a" == 1); }
