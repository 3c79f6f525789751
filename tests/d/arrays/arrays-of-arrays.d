/* @options: -q */
int a[3][4];
self int b[3][4];
struct row { string names[4]; int values[8]; };
struct row rows[5];
BEGIN
{
	i = 1;
	j = 2;
	a[i][j] = 5;
	a[i + 1][3] = 6;
	printf("%d %d %d %d\n", a[1][2], a[2][j + 1], a[i][2], a[2][3]);
	rows[i].names[j] = "hi";
	rows[3].values[j + 1] = 7;
	rows[i].values[j] = 8;
	printf("%s %s %d %d\n", rows[1].names[2], rows[i].names[j], rows[3].values[3], rows[i].values[2]);
	self->b[i][j] = 7;
	printf("%d\n", self->b[1][2]);
	exit(0);
}
