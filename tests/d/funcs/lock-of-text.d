/* What is not possible takes no text. */

BEGIN { rw_write_held("a door"); }
