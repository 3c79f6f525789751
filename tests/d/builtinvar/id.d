/* So have probes, and what is enabled of them. */
/* @options: -q */

BEGIN { printf("%d %d\n", id > 0, epid > 0); exit(0); }
