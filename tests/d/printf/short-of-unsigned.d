/* With a size the sign must be right, too. */

BEGIN { printf("%hd\n", (unsigned short)1); exit(0); }
