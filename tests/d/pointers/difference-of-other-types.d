/* Pointers of different types have no difference. */
/* @options: -q */

BEGIN { x = (char *)1 - (int *)2; exit(0); }
