/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Since when messages are known to wait, from looks at the memory of a node alone. A look remembers what waited for
 * whom; what is still there at a later one has waited at least since then. The memory of a message that was received is
 * soon that of another one, so an address says little. It is known that messages are the same if their receiver has not
 * executed anything since, or if several that were behind each other still are.
 */
#ifndef ERLBPF_NODE_PROCESSES_BACKLOGS_H
#define ERLBPF_NODE_PROCESSES_BACKLOGS_H

#include <stddef.h>
#include <stdint.h>

#include "node/processes/processes.h"

struct backlogs;

/* NULL and errno. */
struct backlogs *backlogs_new(void);
void backlogs_free(struct backlogs *backlogs);

/* A look, when the processes have just been read. Memory that is short is no error: less is known then. */
void backlogs_look(struct backlogs *backlogs, struct processes *processes, uint64_t now_ns);

/* The oldest messages of a mailbox, then those behind them, and since when they are known to wait. */
struct backlog_part {
	uint64_t since_ns;
	uint64_t messages;
};

#define BACKLOG_PARTS 10

/* As of the last look. How many parts, 0 if nothing is known. */
size_t backlogs_parts(const struct backlogs *backlogs, uint64_t id, struct backlog_part parts[BACKLOG_PARTS]);

/*
 * The address of its oldest message as of the last look, and since when it has been the same: for who knows that no
 * other message came to that address. 0: it is not known.
 */
uint64_t backlogs_head(const struct backlogs *backlogs, uint64_t id, uint64_t *since_ns);

#endif
