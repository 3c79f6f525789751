/* A string has its size in a struct and in an array, wherever it begins: no more, and no alignment. */
/* @options: -q */

struct plain { string name; int n; };
struct odd { char c; string name; char d; };
struct outer { char c; struct plain in; short h; struct plain two[2]; };
union either { string name; int n; };
string names[3];

BEGIN
{
	printf("%d %d\n", sizeof (struct plain), offsetof (struct plain, n));
	printf("%d %d %d\n", sizeof (struct odd), offsetof (struct odd, name), offsetof (struct odd, d));
	printf("%d %d %d\n", sizeof (struct outer), offsetof (struct outer, h), offsetof (struct outer, two));
	printf("%d %d %d\n", sizeof (union either), sizeof (names), sizeof (struct { string a; string b; }));
	exit(0);
}
