/* Escapes in strings. */
/* @options: -q */

BEGIN { printf("%s", "tab\tquote\"back\\oct\101hex\x42\n"); exit(0); }
