/* Only memory of alloca() can be copied to. */

BEGIN { s = "abc"; bcopy("x", s, 1); exit(0); }
