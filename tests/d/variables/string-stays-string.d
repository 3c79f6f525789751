/* A string does not become a number. */

BEGIN { s = "one"; s = 1; }
