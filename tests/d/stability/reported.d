/* @options: -e -v */
inline int limit = 3;
#pragma D attributes Evolving/Unstable/ISA limit
BEGIN { trace(limit); trace(curpsinfo->pr_pid); exit(0); }
