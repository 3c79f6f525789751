BEGIN { x = 5; trace(x["a", 1]); exit(0); }
