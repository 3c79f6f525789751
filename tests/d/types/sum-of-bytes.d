/* Bytes are added as words, and cut where they are cast. */
/* @options: -q */

uint8_t a; uint8_t b;
BEGIN { a = 200; b = 100; printf("%d %d\n", a + b, (uint8_t)(a + b)); exit(0); }
