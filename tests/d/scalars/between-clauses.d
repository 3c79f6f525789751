/* Global variables outlive the clause. */
/* @options: -q */

BEGIN { x = 1; }
BEGIN { x++; }
BEGIN { printf("%d\n", x); exit(0); }
