/* As many characters as asked for, whatever their number. */
/* @options: -q -xstrsize=7 */

BEGIN { x = "abcdefghijkl"; a[x] = x; printf("%s|%d|%s|%s\n", x, strlen(a[x]), strjoin("abcdef", "ghi"), lltostr(12345678901)); exit(0); }
