/*
 * @probes: the providers `ip`, `tcp` and `udp`
 * @dtrace: They have probes of network packets.
 * @erlbpf: They do not exist; sockets of a VM are in `erlbpf sockets`.
 */
/* @options: -q */

ip:::send,tcp:::send,udp:::send { exit(0); }
