/* Arrays by a list of keys; 0 frees an element. */
/* @options: -q */

BEGIN
{
	a["eggs", 12] = 1;
	a["milk", 2] = a["eggs", 12] + 1;
	a["eggs", 12] = 0;
	printf("%d %d %d\n", a["eggs", 12], a["milk", 2], a["none", 0]);
	exit(0);
}
