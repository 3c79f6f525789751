/* All but the last part. */
/* @options: -q */

BEGIN { printf("%s %s %s %s %s\n", dirname("/a/b"), dirname("/a"), dirname("c"), dirname("/"), dirname("/a/b/")); exit(0); }
