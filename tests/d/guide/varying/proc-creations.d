/* Who creates processes. */
/* @options: -q -c $TARGET */

proc:::create
/pid == $target/
{
	@[execname, args[0]->pr_ppid == pid] = count();
}
