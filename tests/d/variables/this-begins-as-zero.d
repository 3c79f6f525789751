/* What is only counted up is an int and begins as 0. */
/* @options: -q */

BEGIN { this->x++; printf("%d\n", this->x); exit(0); }
