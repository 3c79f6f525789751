BEGIN { @a = count(); y = 1; x = y ? @a : @a; exit(0); }
