/* Only compiled. */
/* @options: -e */

BEGIN { printf("never\n"); }
