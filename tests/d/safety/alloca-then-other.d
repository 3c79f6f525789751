/* A variable that held memory of alloca(), in a clause before. */

BEGIN { x = (int *)alloca(4); }
BEGIN { y = (int *)curthread; x = NULL; x = y + 1; }
