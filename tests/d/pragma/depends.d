/* It is all there. */
/* @options: -q */

#pragma D depends_on provider profile
#pragma D depends_on module vmlinux

BEGIN { printf("ok\n"); exit(0); }
