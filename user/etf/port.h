/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `erlbpf --etf`: a port program. Erlang opens it with {packet, 4} and sends {Reference, Command, ...}; each command is
 * answered with {Reference, Reply}, and {ended, Status} is sent when a program has ended by itself. What commands and
 * replies there are is in probes/app/src/erlbpf_port.erl.
 */
#ifndef ERLBPF_ETF_PORT_H
#define ERLBPF_ETF_PORT_H

struct etf_confinement;

struct etf_port {
	int in, out;
	int life;				/* becomes readable when the port is to end; -1: none */
	const struct etf_confinement *confined; /* programs of a user without rights; NULL: they have ours */
	const char *refusal;			/* why no program is compiled; NULL: they are */
};

/* Until its input ends. An enum exit_code. */
int etf_serve(const struct etf_port *port);

/* The same of stdin and stdout; without the rights to trace by way of the agent's socket (relay.h), if there is one. */
int etf_main(void);

/* A port of a user without rights: the agent (`erlbpf export --d-socket`) runs the programs, here bytes go to and fro.
 */

#define RELAY_SOCKET "/run/erlbpf/d.sock" /* unless ERLBPF_SOCKET of the environment names another */

struct sockaddr_un;

/* The address of a socket with that path, for who listens there, too. 0 or -ENAMETOOLONG. */
int relay_address(const char *path, struct sockaddr_un *address);

/* A connection, or -errno: there is none that lets us. */
int relay_connect(void);

/* Between stdin, stdout and the connection, which it closes, until one of them ends. An enum exit_code. */
int relay_run(int agent);

#endif
