/*
 * @language: `inet_ntop()` of other families than `AF_INET` and `AF_INET6`
 * @dtrace: Oracle's DTrace shows four bytes as if they were an IPv4 address.
 * @erlbpf: It is a fault (an illegal operation), as in DTrace of illumos.
 */
/* @options: -q */

BEGIN { p = alloca(16); trace(inet_ntop(99, p)); }
ERROR { printf("%d\n", arg4); exit(0); }
