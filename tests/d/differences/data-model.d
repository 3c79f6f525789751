/*
 * @command: `-32`
 * @dtrace: `sizeof (long)` is 4.
 * @erlbpf: It is refused: BPF has 64 bits, and so have the processes that erlbpf knows.
 */
/* @options: -32 */
/* @status: 2 */

BEGIN { exit(0); }
