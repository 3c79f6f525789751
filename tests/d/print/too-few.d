/* print() takes one argument. */

BEGIN { print(); }
