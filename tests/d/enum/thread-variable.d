/* @options: -q */
/* Variables of a thread have names of their own. */

self int A;
enum e { A = 7 };
BEGIN { self->A = 4; printf("%d %d", A, self->A); exit(0); }
