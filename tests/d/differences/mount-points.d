/*
 * @language: `fi_mount`
 * @dtrace: It is the mount point of a file.
 * @erlbpf: It is always `<unknown>`, because a path is walked by names only.
 */
/* @options: -q */

BEGIN { printf("%s\n", fds[0].fi_mount); exit(0); }
