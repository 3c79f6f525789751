/* A text without its quotes, an object as it is. */
/* @options: -q */

BEGIN { printf("%s|%s\n", json("{\"a\":\"x y\"}", "a"), json("{\"a\":{\"b\":1}}", "a")); exit(0); }
