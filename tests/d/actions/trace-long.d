/* So has one of 64 bits. */

BEGIN { trace(42LL); exit(0); }
