BEGIN { x = 5; trace(x->y); exit(0); }
