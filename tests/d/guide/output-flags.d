/* Widths, precisions and flags. */
/* @options: -q */

BEGIN
{
	printf("[%6d][%-6d][%06d][%+d][% d]\n", 42, 42, 42, 42, 42);
	printf("[%#x][%#o][%8s][%-8s][%.2s][%*d]\n", 255, 8, "abc", "abc", "abc", 5, 42);
	exit(0);
}
