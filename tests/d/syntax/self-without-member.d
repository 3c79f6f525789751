/* self alone is no variable. */

BEGIN { self = 1; }
