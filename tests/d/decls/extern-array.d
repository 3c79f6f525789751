/* An array that is declared elsewhere may be without a size, as headers of C have it; a program's own may not. */
/* @options: -q */

extern int names[];
extern const char *const texts[];

BEGIN { printf("%d\n", sizeof (int)); exit(0); }
