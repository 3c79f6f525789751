/*
 * @probes: the result of a system call that fails
 * @dtrace: illumos gives -1 in `arg0` and `arg1`.
 * @erlbpf: It is what Linux returns, the negative `errno`.
 */
/* @options: -q -c "cat /no/such/file" */

syscall::openat:entry { self->path = copyinstr(arg1); }
syscall::openat:return /self->path == "/no/such/file"/ { printf("%d %d\n", (int)arg1, errno); }
