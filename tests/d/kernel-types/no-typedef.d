/* What neither the program nor the kernel defines is no type. */
nosuch_t x;
BEGIN { exit(0); }
