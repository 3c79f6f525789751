/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that came into a mailbox between two looks at it, with their senders: read from the list that the VM keeps
 * of them, which has the sender in each. Nothing is stopped for it: a list that changes meanwhile in a way that cannot
 * be followed is given up.
 */
#ifndef ERLBPF_NODE_PROCESSES_ARRIVALS_H
#define ERLBPF_NODE_PROCESSES_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define ARRIVALS_MOST 256 /* that are followed at a time */

struct arrivals {
	size_t count;			 /* of messages */
	bool is_whole;			 /* false: there are more, or there were */
	uint64_t senders[ARRIVALS_MOST]; /* ids: a process, a port, or an atom: see below; 0: not known */
};

/* Address of the newest message of the process whose structure is at that address; 0: there is none. */
uint64_t arrivals_mark(const struct target *target, uint64_t process);

/*
 * The oldest message of those that the receiver has looked at and not taken: its address, 0: there is none, or this
 * release is not known. Is the receive that it is in past it?
 */
struct oldest_message {
	uint64_t address;
	bool is_passed;
};
struct oldest_message arrivals_oldest(const struct target *target, uint64_t process);

/*
 * What came after that message; after 0, of what came since there was none that which the receiver has not looked at
 * yet, which is never whole. The sender of one that came from another node is the name of the node, and that of a timer
 * clock_service. 0; -ENOENT if this release is not known, -EFAULT if the list cannot be followed.
 */
int arrivals_since(const struct target *target, const struct erl_pid_layout *pids, uint64_t process, uint64_t mark,
		   struct arrivals *arrivals);

/*
 * Addresses of the messages in the mailbox of that process, the oldest first, up to `most`. How many; 0 also if the
 * list cannot be followed.
 */
size_t arrivals_list(const struct target *target, uint64_t process, uint64_t *addresses, size_t most);

/* The messages in that mailbox, the oldest first, whenever they came: never whole, and none if they cannot be read. */
void arrivals_before(const struct target *target, const struct erl_pid_layout *pids, uint64_t process,
		     struct arrivals *arrivals);

#endif
