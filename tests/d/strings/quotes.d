/* Quotes in a string. */
/* @options: -q */

BEGIN { printf("%s\n", "say \"hi\""); exit(0); }
