/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of sockets, from /proc/PID/net: of all sockets in a process's network namespace, by inode. /proc/PID/fd has
 * the inode of a descriptor.
 */
#ifndef ERLBPF_TARGET_SOCKET_TABLE_H
#define ERLBPF_TARGET_SOCKET_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SOCKET_ADDRESS_SIZE 128 /* longer than a path of AF_UNIX */

enum socket_way {
	SOCKET_WAY_UNKNOWN,
	SOCKET_ACCEPTED, /* a socket listens on its port */
	SOCKET_CONNECTED,
};

struct socket_addresses {
	char local[SOCKET_ADDRESS_SIZE]; /* "127.0.0.1:80", "[::1]:80", or a hostile path; "": none */
	char peer[SOCKET_ADDRESS_SIZE];	 /* always unknown for AF_UNIX */
	enum socket_way way;
};

/* In the order of lookup: a path, which is last, cannot hide other entries. */
enum socket_file {
	SOCKET_FILE_TCP,
	SOCKET_FILE_TCP6,
	SOCKET_FILE_UDP,
	SOCKET_FILE_UDP6,
	SOCKET_FILE_UNIX,
	SOCKET_FILES,
};

struct socket_table;

/* The sockets of the process's network namespace. The caller frees it. NULL and errno on error. */
struct socket_table *socket_table_read(pid_t pid);
void socket_table_free(struct socket_table *table);

/* For tests: an empty table, and the entries of one file's text, which it takes over. 0 or -errno. */
struct socket_table *socket_table_new(void);
int socket_table_add(struct socket_table *table, enum socket_file file, char *text);

/* False: the inode is not listed, or listed twice. */
bool socket_table_find(struct socket_table *table, uint64_t inode, struct socket_addresses *addresses);

/* A listening TCP socket, and the length of its accept queue. */
struct socket_listener {
	uint64_t inode;
	unsigned int port, waiting;
};

/*
 * Listening sockets of the process's network namespace whose accept queue is not empty; at most `most`. Returns their
 * number. The kernel lists listening sockets first, so the cost does not depend on the number of connections.
 */
size_t socket_listeners(pid_t pid, struct socket_listener *listeners, size_t most);

/*
 * Ports on which the process itself listens, without duplicates; at most `most`. Returns their number. Leaves out a
 * port on which another socket of the namespace listens too: a connection there may reach either.
 */
size_t socket_own_ports(pid_t pid, unsigned int *ports, size_t most);

/* The process's descriptor for that socket, or -1. Reads all descriptors. */
int socket_number(pid_t pid, uint64_t inode);

/* The inode of that descriptor if it is a socket, else 0. */
uint64_t socket_inode(pid_t pid, int fd);

#endif
