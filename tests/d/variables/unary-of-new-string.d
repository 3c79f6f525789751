/* It is an int64_t from then on. */

BEGIN { printf("%d", !self->x); self->x = "a"; exit(0); }
