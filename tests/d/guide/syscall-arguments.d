/* Arguments at the entry, the result and errno at the return. */
/* @options: -q -c "cat /no/such/file" */

syscall::openat:entry
/pid == $target/
{
	self->path = copyinstr(arg1);
}

syscall::openat:return
/self->path == "/no/such/file"/
{
	printf("%d %d %d\n", arg1 < 0, errno, errno == ENOENT);
}
