/* Names of constants. */
/* @options: -q */

enum colour { RED = 1, GREEN, BLUE };

BEGIN
{
	printf("%d %d %d\n", RED, GREEN, BLUE == 3);
	exit(0);
}
