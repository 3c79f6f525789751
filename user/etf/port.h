/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `erlbpf --etf`: a port program. Erlang opens it with {packet, 4} and sends {Reference, Command, ...}. Each command
 * gets a reply {Reference, Reply}; {ended, Status} reports that a program ended by itself. See
 * probes/app/src/erlbpf_port.erl for the commands.
 */
#ifndef ERLBPF_ETF_PORT_H
#define ERLBPF_ETF_PORT_H

struct etf_confinement;

struct etf_port {
	int in, out;
	int life;				/* readable when the port must end; -1: none */
	const struct etf_confinement *confined; /* programs run for a user without rights; NULL: with our rights */
	const char *refusal;			/* reason why no program can be compiled; NULL: allowed */
};

/* Until its input ends. An enum exit_code. */
int etf_serve(const struct etf_port *port);

/* The same on stdin and stdout; without rights to trace, through the agent's socket (relay.c), if there is one. */
int etf_main(void);

/*
 * relay.c: the port of a user without rights. The agent (`erlbpf export --d-socket`) runs the programs; this process
 * copies bytes.
 */

#define RELAY_SOCKET "/run/erlbpf/d.sock" /* unless ERLBPF_SOCKET is set */

struct sockaddr_un;

/* The address of a socket with that path, also for the listener. 0 or -ENAMETOOLONG. */
int relay_address(const char *path, struct sockaddr_un *address);

/* A connection, or -errno: none allows us. */
int relay_connect(void);

/* Copies between stdin/stdout and the connection, which it closes, until one of them ends. An enum exit_code. */
int relay_run(int agent);

#endif
