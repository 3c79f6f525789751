BEGIN { clear(@a[1]); exit(0); }
