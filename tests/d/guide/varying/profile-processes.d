/* Who has the CPUs. */
/* @options: -q -c $TARGET */

profile-499
{
	@[execname] = count();
}
