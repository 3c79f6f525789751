/* An address of IPv6 is no ipaddr_t. */

BEGIN { this->p = (ipaddr_t *)alloca(16); trace(inet_ntoa6(this->p)); exit(0); }
