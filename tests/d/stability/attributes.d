/* What is stable enough is allowed. */
/* @options: -q -xamin=Evolving/Evolving/Common */

BEGIN { printf("ok\n"); exit(0); }
