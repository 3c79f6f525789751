/* A scalar takes no index. */

BEGIN { x = 1; x[1] = 2; }
