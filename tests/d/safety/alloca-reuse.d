/* A variable that held another address. */

BEGIN { x = (int *)0x1234; x = (int *)alloca(4); }
