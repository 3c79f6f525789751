/* An int of 32 bits has a column of its own. */

BEGIN { trace(42); exit(0); }
