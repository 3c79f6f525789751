/* @options: -q */

/* BEGIN and END have no stack of the kernel. */

BEGIN { printf("%d %x", stackdepth, caller); stack(); printf("and "); exit(0); }
END { printf("%d %x", stackdepth, caller); }
