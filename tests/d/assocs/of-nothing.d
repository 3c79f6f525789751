/* What is not there is 0, also for ++ and +=. */
/* @options: -q */

BEGIN { a[1]++; a[1]++; a[2] += 5; printf("%d %d\n", a[1], a[2]); exit(0); }
