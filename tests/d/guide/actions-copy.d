/* What a process gives to a system call: a buffer by copyin(), a path by copyinstr(). */
/* @options: -q -c "sh -c ': </dev/null; echo hi'" */

syscall::openat:entry
/pid == $target && copyinstr(arg1) == "/dev/null"/
{
	printf("%s\n", copyinstr(arg1));
}

syscall::write:entry
/pid == $target && arg0 == 1/
{
	this->bytes = (char *)copyin(arg1, arg2);
	printf("%d %c%c\n", arg2, this->bytes[0], this->bytes[1]);
}
