/* And back. */
/* @options: -q */

BEGIN { printf("%x %x %x\n", ntohs(0x1234), ntohl(0x12345678), ntohll(0x123456789abcdef0)); exit(0); }
