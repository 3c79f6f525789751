provider p1 { probe q(int); };
BEGIN { exit(0); }
