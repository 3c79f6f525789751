/* A small number and a large one of the same value are the same key. */
/* @options: -q */

long long b;
BEGIN { a[5LL] = 1; b = 5; i = 5; printf("%d %d\n", a[b], a[i]); exit(0); }
