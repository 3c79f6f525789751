/* What one clause traces is in one line. */

BEGIN { trace(1); trace(2); exit(0); }
