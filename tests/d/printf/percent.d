/* A percent sign. */
/* @options: -q */

BEGIN { printf("100%% sure\n"); exit(0); }
