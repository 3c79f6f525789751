/* Programs of one command run in its order. */
/* @options: -q -n 'BEGIN{printf("from_n\n");}' */

BEGIN { printf("from_s\n"); exit(0); }
