BEGIN { x = offsetof(struct unknown, x); exit(0); }
