/* 0 deletes a variable of a thread, which then is 0. */
/* @options: -q */

BEGIN { self->a = 5; self->a = 0; printf("%d\n", self->a); exit(0); }
