/* What a function returns cannot be assigned to. */
/* @options: -q */

BEGIN { strlen("a") = 3; exit(0); }
