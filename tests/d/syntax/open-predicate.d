/* A predicate has two slashes. */

BEGIN / 1 { trace(1); }
