/* A name can be bound to a version, which the program may ask for. */
/* @options: -q */

inline int later = 5;
#pragma D binding "1.6" later

BEGIN
{
	printf("%d\n", later);
	exit(0);
}
