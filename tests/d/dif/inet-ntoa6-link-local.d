/* The longest row of zeros is ::. */
/* @options: -q */

BEGIN { p = (uint8_t *)alloca(16); p[0] = 0xfe; p[1] = 0x80; p[15] = 9; printf("%s\n", inet_ntoa6((struct in6_addr *)p)); exit(0); }
