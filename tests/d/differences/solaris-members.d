/*
 * @language: members for what only Solaris has
 * @dtrace: Tasks, projects, zones, locality groups and processor sets have numbers, and `pr_stype` is what a thread waits
 *   for.
 * @erlbpf: They are always 0 (`SOBJ_NONE`), and `zonename` is `global`.
 */
/* @options: -q */

BEGIN
{
	printf("%d %d %d ", curpsinfo->pr_taskid, curpsinfo->pr_projid, curpsinfo->pr_zoneid);
	printf("%d %d %d ", curcpu->cpu_pset, curcpu->cpu_lgrp, curlwpsinfo->pr_stype == SOBJ_NONE);
	printf("%s\n", zonename);
	exit(0);
}
