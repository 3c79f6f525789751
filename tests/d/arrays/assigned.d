/* An array cannot be assigned to. */
/* @options: -q */

int a[2]; int b[2];
BEGIN { a = b; exit(0); }
