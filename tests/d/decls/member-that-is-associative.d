struct s { int x[int]; };
BEGIN { exit(0); }
