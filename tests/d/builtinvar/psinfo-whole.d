BEGIN { trace(curpsinfo); exit(0); }
