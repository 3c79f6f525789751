/* A predicate is an expression. */

BEGIN / / { trace(1); }
