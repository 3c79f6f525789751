/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of sockets, as the kernel lists them in /proc/PID/net: of all processes in the network namespace of one, by
 * inode. Which inode a file descriptor has is in /proc/PID/fd.
 */
#ifndef ERLBPF_TARGET_SOCKET_TABLE_H
#define ERLBPF_TARGET_SOCKET_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SOCKET_ADDRESS_SIZE 128 /* more than a path of AF_UNIX takes */

enum socket_way {
	SOCKET_WAY_UNKNOWN,
	SOCKET_ACCEPTED, /* there is a listening socket on its port */
	SOCKET_CONNECTED,
};

struct socket_addresses {
	char local[SOCKET_ADDRESS_SIZE]; /* "127.0.0.1:80", "[::1]:80", or a path, hostile text; "": none */
	char peer[SOCKET_ADDRESS_SIZE];	 /* of AF_UNIX never known */
	enum socket_way way;
};

/* The files, in the order in which they are looked into: what a path says cannot hide what is before it. */
enum socket_file {
	SOCKET_FILE_TCP,
	SOCKET_FILE_TCP6,
	SOCKET_FILE_UDP,
	SOCKET_FILE_UDP6,
	SOCKET_FILE_UNIX,
	SOCKET_FILES,
};

struct socket_table;

/* The table of the process's network namespace. The caller frees it. NULL and errno. */
struct socket_table *socket_table_read(pid_t pid);
void socket_table_free(struct socket_table *table);

/* For who has the text of the files: an empty table, and what is in one file, whose text it takes. 0 or -errno. */
struct socket_table *socket_table_new(void);
int socket_table_add(struct socket_table *table, enum socket_file file, char *text);

/* False if it is not there, or there twice. */
bool socket_table_find(struct socket_table *table, uint64_t inode, struct socket_addresses *addresses);

/* A TCP socket that listens, and how many connections wait for being accepted. */
struct socket_listener {
	uint64_t inode;
	unsigned int port, waiting;
};

/* Those of the process's network namespace where any wait, at most so many. Returns how many. The kernel lists sockets
 * that listen first, so little is read, however many connections there are. */
size_t socket_listeners(pid_t pid, struct socket_listener *listeners, size_t most);

/*
 * Ports on which the process itself listens, by a socket that it holds, each once: at most so many. Returns how many.
 * One on which any other socket of its network namespace listens as well is not among them: who is called there is not
 * known.
 */
size_t socket_own_ports(pid_t pid, unsigned int *ports, size_t most);

/* The number under which that socket is open, -1: it is not. Looks at each open file. */
int socket_number(pid_t pid, uint64_t inode);

/* The inode of the socket that is open under that number, 0 if there is none. */
uint64_t socket_inode(pid_t pid, int fd);

#endif
