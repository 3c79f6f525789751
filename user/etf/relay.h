/* SPDX-License-Identifier: BSD-2-Clause */
/* A port of a user without rights: the agent (`erlbpf export --d-socket`) runs the programs, here bytes go to and fro.
 */
#ifndef ERLBPF_ETF_RELAY_H
#define ERLBPF_ETF_RELAY_H

#define RELAY_SOCKET "/run/erlbpf/d.sock" /* unless ERLBPF_SOCKET of the environment names another */

struct sockaddr_un;

/* The address of a socket with that path, for who listens there, too. 0 or -ENAMETOOLONG. */
int relay_address(const char *path, struct sockaddr_un *address);

/* A connection, or -errno: there is none that lets us. */
int relay_connect(void);

/* Between stdin, stdout and the connection, which it closes, until one of them ends. An enum exit_code. */
int relay_run(int agent);

#endif
