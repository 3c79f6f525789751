int f(string x[int]);
BEGIN { exit(0); }
