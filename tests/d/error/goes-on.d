/* A fault does not end the program. */
/* @options: -q */

BEGIN { z = 0; x = 10 / z; }
BEGIN { printf("still there\n"); exit(0); }
