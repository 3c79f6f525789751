/* A fault ends its clause, not those behind it. */
/* @options: -q */

BEGIN { z = 0; printf("before\n"); x = 1 / z; printf("never\n"); }
BEGIN { printf("next\n"); exit(0); }
ERROR { printf("error\n"); }
