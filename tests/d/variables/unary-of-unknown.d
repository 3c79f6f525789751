/* What does not show that it is a variable is not made one. */

BEGIN { printf("%d", !nothing); exit(0); }
