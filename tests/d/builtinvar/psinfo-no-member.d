BEGIN { trace(curpsinfo->pr_nosuch); exit(0); }
