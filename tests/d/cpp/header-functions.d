/* @options: -q -C -I. */
/* What headers have beside types: functions, arrays of unknown size, words of gcc's, a struct that D has, too. */
#include "functions.h"

BEGIN
{
	this->a = (struct in6_addr *)alloca(sizeof (struct in6_addr));
	this->a->bytes[15] = 1;
	printf("%d %d %s\n", sizeof (struct counted), sizeof (struct in6_addr), inet_ntoa6(this->a));
	exit(0);
}
