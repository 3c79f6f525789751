/* A translator makes a struct of something else. */
/* @options: -q */

struct hms { int hours; int minutes; };

translator struct hms < int seconds > {
	hours = seconds / 3600;
	minutes = seconds / 60 % 60;
};

BEGIN
{
	this->s = 7500;
	printf("%d:%02d\n", xlate <struct hms> (this->s).hours, xlate <struct hms> (this->s).minutes);
	exit(0);
}
