/* Identifiers begin with 1. */
/* @options: -q */

BEGIN { i = speculation(); printf("%d\n", i); exit(0); }
