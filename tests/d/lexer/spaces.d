/* Spaces everywhere. */
/* @options: -q */

BEGIN
	{
	x
	=
	1
	;
	printf ( "%d\n" , x ) ; exit ( 0 ) ;
	}
