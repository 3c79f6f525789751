inline int x = args[0];
BEGIN { trace(x); exit(0); }
