/* A program can refuse to be compiled. */

#pragma D error "not today"
BEGIN { trace(1); }
