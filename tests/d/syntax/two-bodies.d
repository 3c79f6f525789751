/* A clause has one body. */

BEGIN { trace(1); } { trace(2); }
