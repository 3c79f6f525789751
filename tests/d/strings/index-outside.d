/* A constant index is looked at when the program is compiled. */

BEGIN
{
	trace(probename[256]);
}
