/* An int has no members. */

BEGIN { x = 1; trace(x.a); }
