int x["a"];
BEGIN { exit(0); }
