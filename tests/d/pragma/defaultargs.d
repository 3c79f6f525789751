/* That changes macros. */

#pragma D option quiet
#pragma D option defaultargs
BEGIN { printf("%d\n", $1); exit(0); }
