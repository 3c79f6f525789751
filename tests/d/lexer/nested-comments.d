/* Comments do not nest, so the first end is the end. */

/* a /* b */ c */
BEGIN { exit(0); }
