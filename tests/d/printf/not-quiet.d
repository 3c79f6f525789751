/* Behind the probe, on its line. */

BEGIN { printf("hello"); exit(0); }
