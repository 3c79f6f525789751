/* Each number of an error has a name, up to the last one. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d %d\n", ENOMSG, ELNRNG, ENODATA, ETIME);
	printf("%d %d %d %d\n", EBADMSG, EILSEQ, ERESTART, EUSERS);
	printf("%d %d %d %d\n", ENOMEDIUM, EOWNERDEAD, ERFKILL, EHWPOISON);
	exit(EDEADLOCK != EDEADLK);
}
