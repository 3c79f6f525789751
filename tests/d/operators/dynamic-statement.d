BEGIN { self->a[1] = 1; self->a; exit(0); }
