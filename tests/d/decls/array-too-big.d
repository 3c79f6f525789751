int x[0x7fffffffffff];
BEGIN { exit(0); }
