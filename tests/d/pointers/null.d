/* NULL is 0. */
/* @options: -q */

BEGIN { this->p = (int *)NULL; printf("%d %d\n", this->p == NULL, this->p != 0); exit(0); }
