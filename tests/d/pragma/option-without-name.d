/* An option has a name. */

#pragma D option
BEGIN { trace(1); }
