/* Several slashes are one. */
/* @options: -q */

BEGIN { printf("%s|%s|%s\n", dirname("a/b/c"), dirname("//"), dirname("/a//b")); exit(0); }
