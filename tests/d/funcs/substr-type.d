/* The second is a number. */

BEGIN { trace(substr("abc", "b")); }
