/* In which functions a process spends its time. */
/* @options: -q -c "$TARGET spin" */

profile-499
/pid == $target && arg1/
{
	@[ufunc(arg1)] = count();
}
