/* The order of bytes. */
/* @options: -q */

BEGIN { printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x123456789abcdef0)); exit(0); }
