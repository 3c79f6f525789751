/* this-> lasts as long as the clauses of a firing. */
/* @options: -q */

int total;

BEGIN
{
	this->half = 21;
}

BEGIN
{
	total = this->half * 2;
	printf("%d\n", total);
	exit(0);
}
