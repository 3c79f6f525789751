/* A library that there is not. */

#pragma D depends_on library nosuch.d
BEGIN { trace(1); }
