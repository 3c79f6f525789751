/* A number is no pointer. */

BEGIN { x = 5; trace(*x); }
