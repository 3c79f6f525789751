/* A declaration has a name. */

int;
BEGIN { trace(1); }
