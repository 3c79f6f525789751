/* Four bytes. */
/* @options: -q */

BEGIN { p = (uint8_t *)alloca(4); p[0] = 10; p[3] = 7; printf("%s\n", inet_ntop(2, p)); exit(0); }
