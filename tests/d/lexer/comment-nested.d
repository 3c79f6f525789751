/* Comments do not nest. */

BEGIN { /* one /* two */ exit(0); }
