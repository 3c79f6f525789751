/* What changes other things is refused when tracing begins: without -w it can be compiled. */
/* @options: -e */

BEGIN { system("echo hello"); exit(0); }
