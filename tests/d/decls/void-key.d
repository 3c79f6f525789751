int x[int, void];
BEGIN { exit(0); }
