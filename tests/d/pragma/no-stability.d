/* Three words. */

#pragma D attributes Stable/Stable x

BEGIN { x = 1; exit(0); }
