/* And nothing else. */

BEGIN { clear(1); }
