/* Declarations for all scopes. */
/* @options: -q */

int g; self int s; this int t; string n; self string sn; this string tn;
BEGIN { g = 1; self->s = 2; this->t = 3; n = "a"; self->sn = "b"; this->tn = "c";
	printf("%d%d%d%s%s%s\n", g, self->s, this->t, n, self->sn, this->tn); exit(0); }
