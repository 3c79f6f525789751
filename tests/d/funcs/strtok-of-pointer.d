/* @options: -q -c "sh -c 'echo one:two >/dev/null'" */

/* A pointer into the traced process is a string, as for the other functions of strings. */

syscall::write:entry
/pid == $target/
{
	printf("%s ", strtok((void *)arg1, ":\n"));
	printf("%s ", strtok(NULL, ":\n"));
	printf("%s\n", strtok("xoney", (void *)arg1));
	exit(0);
}
