/* There are some pragmas only. */

#pragma D nosuch
BEGIN { trace(1); }
