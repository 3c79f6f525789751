/* @options: -q */
/* curcpu is a pointer: it can be kept, compared, cast and followed later. */

cpuinfo_t *kept;

BEGIN
{
	kept = curcpu;
}

BEGIN
{
	printf("%d %d %d ", kept->cpu_id == cpu, kept->cpu_chip == chip, kept->cpu_pset);
	printf("%d %d %d\n", curcpu == NULL, ((int64_t)curcpu >> 8) != 0, (*curcpu).cpu_id == cpu);
	@[curcpu] = count();
	exit(0);
}

END { printa("%@d\n", @); }
