/* A constant index is checked when the program is compiled. */
/* @options: -q */

int a[3];
BEGIN { a[3] = 1; exit(0); }
