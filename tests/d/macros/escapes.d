/* Escapes in arguments are resolved, as in strings of the program. */
/* @options: -q */
/* @args: 'a\tb' '"c\"d"' 'x\101y' 'end\' */

BEGIN { printf("[%s][%s][%s][%s]\n", $$1, $2, $3, $$4); exit(0); }
