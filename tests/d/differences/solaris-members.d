/*
 * @language: members for what only Solaris has
 * @dtrace: Tasks, projects, zones, locality groups and processor sets have numbers.
 * @erlbpf: They are always 0, and `zonename` is `global`.
 */
/* @options: -q */

BEGIN
{
	printf("%d %d %d ", curpsinfo->pr_taskid, curpsinfo->pr_projid, curpsinfo->pr_zoneid);
	printf("%d %d %s\n", curcpu->cpu_pset, curcpu->cpu_lgrp, zonename);
	exit(0);
}
