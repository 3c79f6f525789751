/* Characters are numbers. */
/* @options: -q */

BEGIN { printf("%d %d %d %d %d\n", 'a', '\n', '\\', '\0', '\x41'); exit(0); }
