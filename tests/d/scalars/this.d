/* Variables of the clause live through all clauses of one firing. */
/* @options: -q */

BEGIN { this->x = 4; }
BEGIN { printf("%d\n", this->x); exit(0); }
