/* An element of an array. */
/* @options: -q */

BEGIN { j = "{\"a\": [10, 20, {\"x\": \"y\"}]}"; printf("%s %s %s\n", json(j, "a[0]"), json(j, "a[1]"), json(j, "a[2].x")); exit(0); }
