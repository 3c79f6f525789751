/* In other objects. */
/* @options: -q */

BEGIN { j = "{\"a\": {\"b\": {\"c\": \"deep\"}}}"; printf("%s\n", json(j, "a.b.c")); exit(0); }
