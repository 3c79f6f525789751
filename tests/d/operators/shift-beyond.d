/* Bits that are shifted out of an int are gone. */
/* @options: -q */

BEGIN { x = 1; printf("%d %d %d\n", x << 32, x << 31 << 1, -8 >> 33); exit(0); }
