/* The upper half of the register of an int is not known: args[0] is the int, arg0 what is in the register. */
/* @options: -q -c /bin/true */

syscall::openat:entry
/pid == $target/
{
	printf("%d %d\n", args[0], args[0] == -100);
	printf("%d %d %d\n", sizeof (args[0]), sizeof (args[1]), copyinstr((uintptr_t)args[1]) == copyinstr(arg1));
	exit(0);
}
