/* Probes that the authors of a program have put into it. */
/* @options: -q -c $SHOP */

shop$target:::order-start
{
	self->began = timestamp;
	printf("%d %s\n", arg0, copyinstr(arg1));
}

shop$target:::order-done
/self->began/
{
	@[timestamp > self->began] = count();
	self->began = 0;
}
