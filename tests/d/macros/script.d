/* $$0 is the script. */
/* @options: -q */

BEGIN { printf("%s\n", basename($$0)); exit(0); }
