/* Constants of open(2), and of how a process ends. @options: -q */
BEGIN
{
	printf("%d %d %d %o\n", O_RDONLY, O_WRONLY, O_RDWR, O_CREAT);
	printf("%d %d %d\n", CLD_EXITED, CLD_KILLED, CLD_DUMPED);
	exit(0);
}
