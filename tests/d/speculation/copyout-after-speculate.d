/* What is written cannot be taken back; that is found before -w is missed. */

BEGIN { speculate(1); copyout(alloca(1), 0, 1); }
