/* An action is no value of a choice that is left to the run. */

BEGIN { x = 3; x ? trace(1) : trace(2); exit(0); }
