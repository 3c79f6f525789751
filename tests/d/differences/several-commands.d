/*
 * @command: several `-c`, and `-c` with `-p`
 * @dtrace: All commands are started, and tracing ends when the last of them and of the processes of `-p` has ended.
 * @erlbpf: There can be one, without `-p`; start others in it: `-c "sh -c 'a & b & wait'"`, and trace those with `progenyof($target)`.
 */
/* @options: -q -c /bin/true -c /bin/true */
/* @status: 2 */

BEGIN { exit(0); }
