/* What the process was started with, as it began: BEGIN runs in the command's own. */
/* @options: -q */

BEGIN { printf("%d %d\n", strstr(execargs, "-xerrtags -q -s execargs.d") != NULL, execargs == curpsinfo->pr_psargs); exit(0); }
