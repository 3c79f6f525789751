/* And no second one. */

BEGIN { trace(strlen("a", "b")); }
