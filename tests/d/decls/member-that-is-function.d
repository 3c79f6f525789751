struct s { int f(); };
BEGIN { exit(0); }
