struct s { int genunix`x; };
BEGIN { exit(0); }
