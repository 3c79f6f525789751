/* $target is the process of -c; the trace ends with it. */
/* @options: -q -c "sh -c 'exit 7'" */

syscall::exit_group:entry
/pid == $target/
{
	printf("%d\n", arg0);
}

END
{
	printf("ended\n");
}
