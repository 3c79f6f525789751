/* tracemem() shows bytes. */
/* @options: -q */

BEGIN
{
	this->p = alloca(16);
	bcopy("0123456789abcde", this->p, 16);
	tracemem(this->p, 16);
	exit(0);
}
