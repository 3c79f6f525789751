/* * is arithmetic. */

BEGIN { trace("a" * 2); }
