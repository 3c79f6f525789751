/* Of which priority what runs is. */
/* @options: -q -c "$TARGET spin" */

profile-499
/pid == $target/
{
	@[curlwpsinfo->pr_pri] = count();
}
