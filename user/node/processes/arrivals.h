/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that arrived in a mailbox between two reads, with their senders, from the VM's message lists. The receiver
 * is not stopped: if a list changes so that it cannot be followed, the read fails.
 */
#ifndef ERLBPF_NODE_PROCESSES_ARRIVALS_H
#define ERLBPF_NODE_PROCESSES_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define ARRIVALS_MOST 256 /* followed per read */

struct arrivals {
	size_t count;			 /* of messages */
	bool is_whole;			 /* false: there are or were more */
	uint64_t senders[ARRIVALS_MOST]; /* ids of processes, ports, or atoms as below; 0: unknown */
};

/* The address of the newest message of the process whose structure is at that address; 0: none. */
uint64_t arrivals_mark(const struct target *target, uint64_t process);

/*
 * The oldest message that the receiver has scanned and left: its address, 0: none, or unknown release. Is the current
 * receive past it?
 */
struct oldest_message {
	uint64_t address;
	bool is_passed;
};
struct oldest_message arrivals_oldest(const struct target *target, uint64_t process);

/*
 * The messages after `mark`; with mark 0, those not yet scanned since the mailbox was empty, which is never complete.
 * For a message from another node, the sender is the node's name; for a timer's, clock_service. 0; -ENOENT if the
 * release is unknown, -EFAULT if the list cannot be followed.
 */
int arrivals_since(const struct target *target, const struct erl_pid_layout *pids, uint64_t process, uint64_t mark,
		   struct arrivals *arrivals);

/*
 * The addresses of at most `most` messages in the mailbox of that process, oldest first. Their number; 0 also if the
 * list cannot be followed.
 */
size_t arrivals_list(const struct target *target, uint64_t process, uint64_t *addresses, size_t most);

/* The messages in that mailbox, oldest first, whenever they arrived: never complete, and empty if unreadable. */
void arrivals_before(const struct target *target, const struct erl_pid_layout *pids, uint64_t process,
		     struct arrivals *arrivals);

#endif
