/* A predicate is a scalar. */

BEGIN /probename/ { trace(1); }
