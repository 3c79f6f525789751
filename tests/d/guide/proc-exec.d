/* Who executes what. */
/* @options: -q -c "sh -c 'true; /bin/true one; exit 0'" */

proc:::exec-success
/progenyof($target)/
{
	printf("%s %s\n", execname, curpsinfo->pr_psargs);
}
