/* Each prints as its type says. */
/* @options: -q -xaggsortkey */

struct p { int a; char b; };
BEGIN { @[(char)65, (short)-2, 3, (long)4, "five"] = count(); printa("%c %d %d %d %s %@u\n", @); exit(0); }
