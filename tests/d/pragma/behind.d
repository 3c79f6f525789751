/* It may stand behind a clause. */

BEGIN { printf("ok\n"); exit(0); }
#pragma D option quiet
