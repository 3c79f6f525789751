/* A number has at most 64 bits. */

BEGIN { trace(0x12345678123456789); }
