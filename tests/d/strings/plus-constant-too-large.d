/* A string has so many characters. */

BEGIN { x = "hello"; trace(x + 300); exit(0); }
