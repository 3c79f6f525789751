/* @options: -q */
/* The chip is that of the CPU. */
BEGIN
{
	printf("%d %d\n", chip >= 0, chip == curcpu->cpu_chip);
	exit(0);
}
