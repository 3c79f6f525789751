/* Variables of the thread. */
/* @options: -q */

BEGIN { self->x = 4; }
BEGIN { printf("%d\n", self->x); self->x = 0; }
BEGIN { printf("%d\n", self->x); exit(0); }
