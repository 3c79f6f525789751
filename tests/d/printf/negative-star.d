/* A width that is negative is one to the left. */
/* @options: -q */

BEGIN { printf("[%*d][%*s]\n", -6, 42, -5, "ab"); exit(0); }
