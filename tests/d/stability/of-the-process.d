/* @options: -q -x amin=Stable/Stable/Common */
/* What the kernel calls it may change; curpsinfo does not. */
BEGIN { printf("%d\n", curpsinfo->pr_pid == pid); exit(0); }
