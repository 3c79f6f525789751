BEGIN { printa(@a[1]); exit(0); }
