/* Without quiet, a line ends by itself. */

BEGIN { printf("one\n"); exit(0); }
