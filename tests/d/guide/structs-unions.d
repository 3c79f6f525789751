/* A union is one place that is looked at in several ways. */
/* @options: -q */

union word {
	uint32_t whole;
	uint8_t bytes[4];
};

union word w;

BEGIN
{
	w.whole = 0x01020304;
	printf("%d %d %d\n", w.bytes[0] + w.bytes[1] + w.bytes[2] + w.bytes[3], sizeof (w), sizeof (union word));
	exit(0);
}
