int x[int a, int a];
BEGIN { exit(0); }
