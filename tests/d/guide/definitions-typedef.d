/* Names of types. */
/* @options: -q */

typedef int celsius;
typedef struct range { celsius from, to; } range_t;

range_t r;

BEGIN
{
	r.from = -5;
	r.to = (celsius)30;
	printf("%d %d\n", r.to - r.from, sizeof (range_t));
	exit(0);
}
