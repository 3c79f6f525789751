/* They are ints. */

enum e { A = 0x7fffffff, B };
BEGIN { trace(1); }
