/* += of a pointer counts elements. */
/* @options: -q */

BEGIN { p = (short *)alloca(8); p[3] = 77; q = p; q += 3; printf("%d %d\n", *q, q - p); exit(0); }
