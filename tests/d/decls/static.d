/* D has other classes of storage than C. */

static int x;
BEGIN { trace(1); }
