/* ++ and -- of a pointer, before and behind it. */
/* @options: -q */

BEGIN { p = (int *)alloca(12); p[0] = 1; p[1] = 2; p[2] = 3; q = p; q++; printf("%d %d\n", *q, *(q + 1)); ++q; printf("%d\n", *q--); printf("%d\n", *q); exit(0); }
