/* Strings are left-aligned. */

BEGIN { trace("hello"); exit(0); }
