/* The functions that search in strings work on the clock's own program of a tick as well. */
#pragma D option quiet

tick-10ms
{
	printf("%s %s\n", strstr(probename, "ck-"), strtok("a,b", ","));
	exit(0);
}
