provider p { probe q(int) };
BEGIN { exit(0); }
