/* Who has the CPUs. */
/* @options: -q -c "$TARGET spin" */

profile-499
{
	@[execname] = count();
}
