/*
 * It fires in what runs on the CPU: one of its arguments, the kernel's place and that of the process, is not 0. A few
 * may be made up for in the tracing process.
 */
/* @options: -q */

tick-5ms { n++; }
tick-5ms /(arg0 != 0) != (arg1 != 0)/ { placed++; }
tick-5ms /pid != $pid/ { others++; }

tick-1s
{
	printf("%s\n", n >= 190 && n <= 201 ? "as many as there should be" : "too many or too few");
	printf("%s\n", placed >= 150 ? "places" : "no places");
	printf("%s\n", others >= 100 ? "others" : "only the tracing process");
	exit(0);
}
