/* With defaultargs, what is not there is 0 or empty. */
/* @options: -q -xdefaultargs */

BEGIN { printf("%d [%s]\n", $1, $$2); exit(0); }
