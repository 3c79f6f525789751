/* A constant is not assigned to. */

BEGIN { 1 = 2; }
