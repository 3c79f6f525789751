/* An array of this->. */
/* @options: -q */

this int a[3];
BEGIN { this->a[2] = 8; printf("%d\n", this->a[2]); exit(0); }
