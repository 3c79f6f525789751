/* There are no associative arrays of the clause. */

BEGIN { this->a[1] = 2; }
