/*
 * @command: anonymous tracing
 * @dtrace: `-A` and `-a` trace while the machine starts.
 * @erlbpf: They do not exist.
 */
/* @options: -A */
/* @status: 2 */

BEGIN { exit(0); }
