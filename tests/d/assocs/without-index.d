/* An associative array is used with its index. */

BEGIN { a[1] = 1; trace(a); }
