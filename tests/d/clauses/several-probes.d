/* A clause of several probes. */
/* @options: -q */

BEGIN, END { printf("%s\n", probename); }
BEGIN { exit(0); }
