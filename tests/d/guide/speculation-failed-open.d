/* What led to an open() is only printed if it fails. */
/* @options: -q -xnspec=4 -c "cat /dev/null /no/such/file" */

syscall::openat:entry
/pid == $target/
{
	self->spec = speculation();
	speculate(self->spec);
	printf("%s", copyinstr(arg1));
}

syscall::openat:return
/self->spec && errno != 0/
{
	speculate(self->spec);
	printf(" failed: %d\n", errno);
}

syscall::openat:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::openat:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
