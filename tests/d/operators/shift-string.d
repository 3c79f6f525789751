/* So are shifts. */

BEGIN { trace("a" << 2); }
