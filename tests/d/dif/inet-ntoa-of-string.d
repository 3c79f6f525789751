/* An address is pointed to by an ipaddr_t *. */

BEGIN { trace(inet_ntoa("127.0.0.1")); exit(0); }
