/* Escapes by number. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", '\101', '\'', '"'); exit(0); }
