/* The third argument is at most the second; a negative one is none, and 0 is nothing. */
/* @options: -q */

BEGIN
{
	p = alloca(8);
	bcopy("abcdefg", p, 8);
	n = -1;
	tracemem(p, 4, 100);
	tracemem(p, 4, n);
	tracemem(p, 4, 2);
	n = 0;
	tracemem(p, 4, n);
	exit(0);
}
