/* %lx wants a "long" by its name, though "long long" has the same size. */

BEGIN { printf("%lx\n", 1LL); exit(0); }
