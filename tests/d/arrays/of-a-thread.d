/* An array that each thread has. */
/* @options: -q */

self int a[3];
BEGIN { self->a[1] = 5; printf("%d %d\n", self->a[1], self->a[0]); exit(0); }
