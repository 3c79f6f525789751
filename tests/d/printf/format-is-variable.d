/* And it is constant. */

BEGIN { s = "%d"; printf(s, 1); }
