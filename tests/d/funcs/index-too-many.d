/* index() takes at most three. */

BEGIN { trace(index("abc", "b", 1, 2)); }
