/* An option in the program. */

#pragma D option quiet
BEGIN { printf("ok\n"); exit(0); }
