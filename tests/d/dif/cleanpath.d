/* A path without detours. */
/* @options: -q */

BEGIN { printf("%s %s %s\n", cleanpath("/a/../b/./c//d"), cleanpath("/a/b"), cleanpath("/..")); exit(0); }
