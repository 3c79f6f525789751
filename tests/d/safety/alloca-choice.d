/* It is either memory of alloca() or not. */

BEGIN { i = 1; x = i ? (int *)alloca(8) : (int *)0x1234; }
