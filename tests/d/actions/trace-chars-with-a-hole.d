/* Characters behind a NUL, or that cannot be printed: then an array of characters is no text. */
/* @options: -q */

char hole[9], odd[6], text[6], full[3];

BEGIN
{
	hole[0] = 'd';
	hole[1] = 'o';
	hole[3] = 'g';
	hole[8] = 's';
	trace(hole);
	odd[0] = 'b';
	odd[1] = 6;
	trace(odd);
	text[0] = 'c';
	text[1] = 'a';
	text[2] = 't';
	trace(text);
	full[0] = 'o';
	full[1] = 'w';
	full[2] = 'l';
	trace(full);
	exit(0);
}
