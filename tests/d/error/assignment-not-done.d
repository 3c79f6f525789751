/* What a faulty expression was to be assigned to stays. */
/* @options: -q */

BEGIN { x = 5; z = 0; }
BEGIN { x = 10 / z; }
BEGIN { printf("%d\n", x); exit(0); }
