BEGIN { trace((int x)5); exit(0); }
