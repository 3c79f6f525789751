/* What is more than 16 bits is cut. */
/* @options: -q */

BEGIN { printf("%x\n", htons(0x12345678)); exit(0); }
