/* It can be declared. */
/* @options: -q */

int a[int, string];
BEGIN { a[1, "x"] = 4; printf("%d %d\n", a[1, "x"], a[1, "y"]); exit(0); }
