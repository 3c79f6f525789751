/* Declared too. */
/* @options: -q */

self string a[int];
BEGIN { self->a[1] = "one"; printf("%s\n", self->a[1]); exit(0); }
