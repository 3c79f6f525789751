/* Bytes in the order of the network, addresses as text. */
/* @options: -q */

BEGIN
{
	printf("%x %x\n", htons(0x1234), ntohl(0x01020304));
	this->p = (ipaddr_t *)alloca(4);
	*this->p = htonl(0x7f000001);
	printf("%s\n", inet_ntoa(this->p));
	exit(0);
}
