/* A family, a hardware type and a base that do not exist are illegal operations. */
/* @options: -q */

BEGIN { p = alloca(16); trace(inet_ntop(99, p)); }
BEGIN { p = alloca(20); trace(link_ntop(-1, p)); }
BEGIN { trace(lltostr(1, 37)); }
BEGIN { trace(lltostr(1, 1)); }
BEGIN { exit(0); }
ERROR { printf("%d ", arg4); }
END { printf("\n"); }
