/* A comment must be closed. */

BEGIN { trace(1); } /* never
