/* That is constant. */
/* @options: -q */

BEGIN /0/ { printf("never\n"); }
BEGIN /1/ { printf("always\n"); exit(0); }
