/* The same of a text. */

BEGIN { speculate(1); x = 1; copyoutstr("a", 0, 1); }
