BEGIN { @a[trace(1)] = count(); exit(0); }
