/* A call must be closed. */

BEGIN { trace(1; }
