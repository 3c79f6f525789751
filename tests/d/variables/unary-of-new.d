/* @options: -q */
/* A unary operator makes a variable that is new an int64_t, if it shows that it is one. */

BEGIN
{
	self->y = !self->x;
	self->x = 5000000000;
	printf("%d %d %d %d\n", self->y, self->x, -this->z, sizeof (seen["a"]));
	printf("%d ", !seen["a"]);
	seen["a"] = 1;
	printf("%d\n", !seen["a"]);
	exit(0);
}
