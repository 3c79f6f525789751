/* There are no more arguments. */

BEGIN { ustack(5, 0, 1); }
