/* A key has the types that the first one had. */

BEGIN { a[1] = 1; a["one"] = 1; }
