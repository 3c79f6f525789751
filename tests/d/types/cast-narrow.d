/* A cast cuts, and extends the sign. */
/* @options: -q */

BEGIN { x = 0x1ff; printf("%d %d %d\n", (char)x, (unsigned char)x, (short)0x18000); exit(0); }
