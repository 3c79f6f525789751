/* One per thread. */
/* @options: -q */

BEGIN { self->a["k"] = 3; self->a["l"] = 4; printf("%d %d\n", self->a["k"], self->a["l"]); exit(0); }
