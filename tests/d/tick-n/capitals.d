/* @options: -q */
/* Units in capitals are units, and so is what is just slow enough. */

tick-5000 { a = 1; }
tick-200US { b = 1; }
tick-10MSEC /a && b/ { printf("%s\n", probename); exit(0); }
