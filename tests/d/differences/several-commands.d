/*
 * @command: several `-c`
 * @dtrace: All commands are started, and tracing ends when the last of them has ended.
 * @erlbpf: There can be one; start others in it: `-c "sh -c 'a & b & wait'"`, and trace those with `progenyof($target)`.
 */
/* @options: -q -c /bin/true -c /bin/true */
/* @status: 2 */

BEGIN { exit(0); }
