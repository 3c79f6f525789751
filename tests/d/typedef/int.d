/* A typedef is another name. */
/* @options: -q */

typedef unsigned short port_t;
port_t p;
BEGIN { p = 65537; printf("%d %d\n", p, sizeof (port_t)); exit(0); }
