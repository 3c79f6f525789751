/* Only what the predicate lets through. */
/* @options: -q -c "sh -c 'echo a; echo long'" */

syscall::write:entry
/pid == $target && arg0 == 1 && arg2 > 3/
{
	printf("%s", stringof(copyin(arg1, arg2)));
}
