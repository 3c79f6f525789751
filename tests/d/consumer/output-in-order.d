/* Output comes in the order in which it was made. */
/* @options: -q */

BEGIN { printf("1\n"); trace(2); printf("\n3\n"); }
END { printf("4\n"); }
BEGIN { exit(0); }
