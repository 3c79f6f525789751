/* The declaration says what elements are. */
/* @options: -q */

int a[int];
BEGIN { a[1] = "x"; exit(0); }
