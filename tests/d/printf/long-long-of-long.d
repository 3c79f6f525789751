/* %llx wants a "long long" by its name, though "long" has the same size. */

BEGIN { printf("%llx\n", 1L); exit(0); }
