/*
 * @language: `pcap`
 * @dtrace: Oracle's DTrace writes network packets to a file.
 * @erlbpf: It is an error, because packets are not captured; use tcpdump.
 */
/* @options: -w */

BEGIN { pcap(0, 0); exit(0); }
