/* And as many parts. */

BEGIN { a[1] = 1; a[1, 2] = 1; }
