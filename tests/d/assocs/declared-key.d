/* Keys are held against the declaration. */

int a[string];
BEGIN { a[1] = 1; }
