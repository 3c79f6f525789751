/* What is not there is NULL. */
/* @options: -q */

BEGIN { printf("%d\n", json("{\"a\": 1}", "b") == NULL); exit(0); }
