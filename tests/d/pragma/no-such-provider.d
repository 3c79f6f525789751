/* Without it there is nothing to trace. */

#pragma D depends_on provider no_such_provider

BEGIN { exit(0); }
