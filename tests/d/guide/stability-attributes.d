/* Names have attributes, which a program can set. */
/* @options: -q -xamin=Unstable/Unstable/Unknown */

inline int mine = 1;
#pragma D attributes Evolving/Evolving/ISA mine

BEGIN
{
	printf("%d\n", mine);
	exit(0);
}
