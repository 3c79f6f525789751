int f(void x);
BEGIN { exit(0); }
