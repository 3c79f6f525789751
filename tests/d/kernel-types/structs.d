/* @options: -q */
/* Structs of the kernel's as variables, members and elements: with its layout, bit-fields too. */
struct iphdr h;
struct packet { char kind; struct iphdr ip; };
struct packet p;
struct tcphdr segments[2];
extern struct inode node;

BEGIN
{
	h.ihl = 5;
	h.version = 4;
	h.tot_len = 1500;
	h.saddr = 0x100007f;
	printf("%d %d %d 0x%x %d\n", h.ihl, h.version, h.tot_len, h.saddr, sizeof (h));
	p.ip = h;
	printf("%d %d\n", p.ip.tot_len, offsetof(struct packet, ip));
	segments[1].source = 80;
	printf("%d %d %d\n", segments[0].source, segments[1].source, sizeof (segments));
	exit(0);
}
