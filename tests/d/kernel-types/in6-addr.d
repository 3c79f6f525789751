/* @options: -q */
/* struct in6_addr is the kernel's. */
BEGIN
{
	p = (struct in6_addr *)alloca(16);
	p->in6_u.u6_addr8[15] = 1;
	printf("%s\n", inet_ntop(AF_INET6, p));
	p->in6_u.u6_addr16[0] = htons(0x2001);
	p->in6_u.u6_addr32[1] = htonl(0xdb8);
	printf("%s %d %d\n", inet_ntoa6(p), p->s6_addr[0], sizeof (struct in6_addr));
	exit(0);
}
