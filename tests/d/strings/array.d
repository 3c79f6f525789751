/* Arrays of strings, by any index. */
/* @options: -q */

string x[5];

BEGIN { x[2] = "abc"; i = 2; x[i + 1] = "def"; printf("%s %s %s|%s|\n", x[2], x[i], x[3], x[0]); exit(0); }
