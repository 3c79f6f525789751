/* A semicolon alone is nothing. */
/* @options: -q */

BEGIN { ;; printf("a\n");; exit(0); }
