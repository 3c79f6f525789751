provider p { probe q(int); }; provider p { probe r(); };
BEGIN { exit(0); }
