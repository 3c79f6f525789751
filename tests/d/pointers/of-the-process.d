/* What the traced process points to is read without copyin(), too: arrays of pointers of a system call. */
/* @options: -q -c '/bin/true first second' */

struct ends { char first; char second; };

syscall::execve:entry
/pid == $target/
{
	printf("%s %s\n", copyinstr((uintptr_t)args[1][0]), copyinstr((uintptr_t)args[1][2]));
	printf("%s %c %d\n", stringof(args[0]), *((char **)arg1)[1], args[1][3] == NULL);
	printf("%s\n", inet_ntoa((ipaddr_t *)arg0));
	this->copy = (char *)alloca(5);
	bcopy((char *)arg0, this->copy, 4);
	printf("%s %c\n", stringof(this->copy), ((struct ends *)arg0)->second);
	exit(0);
}
