/* A variable of D has none that a program may know. */

BEGIN { x = 1; trace(&x); }
