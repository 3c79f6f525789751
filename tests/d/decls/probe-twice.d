provider p { probe q(int); probe q(); };
BEGIN { exit(0); }
