BEGIN { trunc(@a[1]); exit(0); }
