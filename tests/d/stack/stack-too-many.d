/* And the only argument. */

BEGIN { stack(1, 2); }
