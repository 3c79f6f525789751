/* Arguments of system calls are as the kernel takes them, also where the C library has another type. */
/* @options: -q -c '/bin/sleep 0.01' */

syscall::openat:entry
/pid == $target/
{
	opened = sizeof (args[3]);
}

syscall::mmap:entry
/pid == $target/
{
	mapped = args[4];
}

syscall::clock_nanosleep:entry
/pid == $target/
{
	printf("%d %d %d\n", opened, sizeof (mapped), args[2]->tv_nsec);
	exit(0);
}
