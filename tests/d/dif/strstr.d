/* From a string on. */
/* @options: -q */

BEGIN { printf("%s %d\n", strstr("hello world", "wor"), strstr("hello", "x") == NULL); exit(0); }
