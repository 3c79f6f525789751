/* @options: -q */
/* Addresses of IPv4 within those of IPv6, as such or not. */
BEGIN
{
	p = (struct in6_addr *)alloca(16);
	printf("%s %s\n", inet_ntoa6(p), inet_ntoa6(p, 1));
	p->in6_u.u6_addr8[15] = 1;
	printf("%s %s %s\n", inet_ntoa6(p), inet_ntoa6(p, 0), inet_ntoa6(p, 1));
	p->in6_u.u6_addr8[12] = 127;
	printf("%s %s %s\n", inet_ntoa6(p), inet_ntoa6(p, 0), inet_ntoa6(p, -1));
	p->in6_u.u6_addr16[5] = 0xffff;
	printf("%s\n", inet_ntoa6(p));
	p->in6_u.u6_addr8[0] = 0xfe;
	printf("%s\n", inet_ntoa6(p));
	exit(0);
}
