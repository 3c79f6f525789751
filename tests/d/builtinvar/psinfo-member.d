/* A member of psinfo_t that nothing here can tell. */
BEGIN { trace(curpsinfo->pr_size); exit(0); }
