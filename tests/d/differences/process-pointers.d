/*
 * @language: following a pointer into the process without `copyin()`
 * @dtrace: On illumos it is a fault.
 * @erlbpf: It is read, as in Oracle's DTrace.
 */
/* @options: -q -x compat=illumos -c /bin/true */

syscall::execve:entry
/pid == $target/
{
	printf("%c\n", *(char *)arg0);
	exit(0);
}
