/* Output goes to a file, and back. */
/* @options: -q -w */

BEGIN { printf("here\n"); freopen("/dev/null"); printf("not here\n"); freopen(""); printf("again\n"); exit(0); }
