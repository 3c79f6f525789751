/* It takes two arguments or three. */

BEGIN { tracemem(0); }
