/* An inline of a constant is a constant. */
/* @options: -q */

inline int N = 3; int a[N];
BEGIN { a[N - 1] = 4; printf("%d\n", a[2]); exit(0); }
