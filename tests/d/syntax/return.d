/* There is no return. */

BEGIN { return 1; }
