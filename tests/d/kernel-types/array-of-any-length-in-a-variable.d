/* A variable has no elements of an array without a length. */

struct pid p;

BEGIN { trace(p.numbers[0].nr); exit(0); }
