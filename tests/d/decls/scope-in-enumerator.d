enum e { A`B };
BEGIN { exit(0); }
