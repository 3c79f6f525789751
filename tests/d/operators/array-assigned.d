int a[5];
int b[5];
BEGIN { a = b; exit(0); }
