BEGIN { @a = count(); x[@a] = 1; exit(0); }
