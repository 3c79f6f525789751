/* The declaration says what a variable of threads is. */
/* @options: -q */

self int x;
BEGIN { self->x = "a"; exit(0); }
