/* Names of signals that others have, too, and those of files and buffers. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d\n", SIGIOT - SIGABRT, SIGCLD - SIGCHLD, SIGPOLL - SIGIO);
	printf("%d\n", SIGSTKFLT);
	printf("%o %d %x\n", O_ASYNC, O_FSYNC == O_SYNC, B_BUSY);
	exit(0);
}
