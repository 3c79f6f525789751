/* Several descriptions of a clause, one that is there. */
/* @options: -q */

BEGIN,
END
{ n++; }
BEGIN { exit(0); }
END { printf("%d\n", n); }
