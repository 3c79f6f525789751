/* ++, += and -- of a variable of threads. */
/* @options: -q */

BEGIN { self->n++; self->n += 2; x = self->n--; printf("%d %d\n", x, self->n); exit(0); }
