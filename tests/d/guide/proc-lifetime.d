/* How processes start and how they end. */
/* @options: -q -c "sh -c '/bin/true; sh -c \"kill -9 \\$\\$\"; exit 0'" */

proc:::start
/ppid == $target/
{
	self->began = timestamp;
}

proc:::exit
/self->began && args[0] == CLD_EXITED/
{
	@[execname, timestamp > self->began] = count();
}

proc:::exit
/self->began && args[0] == CLD_KILLED/
{
	@[strjoin("killed ", execname), 1] = count();
}
