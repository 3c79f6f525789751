/* A step is as long as what is pointed to. */
/* @options: -q */

BEGIN { p = (long *)100; printf("%d %d\n", (uint64_t)(p + 2), (uint64_t)((char *)p + 2)); exit(0); }
