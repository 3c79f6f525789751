/* A character that D has no use for. */

BEGIN { trace(1) \ ; }
