/* A fault in a predicate makes it false. */
/* @options: -q */

BEGIN { z = 0; }
BEGIN /(1 / z)/ { printf("never\n"); }
BEGIN { printf("done\n"); exit(0); }
