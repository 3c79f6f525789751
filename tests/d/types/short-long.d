BEGIN { x = (short long)0; exit(0); }
