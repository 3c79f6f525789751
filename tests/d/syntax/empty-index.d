/* An index is not empty. */

BEGIN { a[] = 1; }
