/*
 * @command: `execname` in `BEGIN`
 * @dtrace: It is `dtrace`.
 * @erlbpf: It is the name that the command is called by, `erlbpf`.
 */
/* @options: -q */

BEGIN { printf("%s\n", execname); exit(0); }
