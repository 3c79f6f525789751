/* A clause must be closed. */

BEGIN { trace(1);
