/* %S shows what cannot be printed. */
/* @options: -q */

BEGIN { printf("%S\n", "a\tb\nc"); exit(0); }
