/* A parameter hides a variable of its name. */
/* @options: -q */

int n; inline int f[int n] = n + 1;
BEGIN { n = 10; printf("%d %d\n", f[1], n); exit(0); }
