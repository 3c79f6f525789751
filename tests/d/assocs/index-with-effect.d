/* An index with an effect has it once. */
/* @options: -q */

BEGIN { i = 0; a[i++] = 10; a[i++] = 20; printf("%d %d %d\n", a[0], a[1], i); exit(0); }
