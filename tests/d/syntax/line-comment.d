// Comments that begin with two slashes end with the line. /* no other begins in them,
// and none ends in them */
/* @options: -q */

BEGIN // of the clause
/6 / 2 == 3/ // what follows a predicate
{
	trace("a//b"); // "
	// exit(1);
	trace(7 /* not
	// the line */ / 7);
	exit(0);
} // to the end of the file
