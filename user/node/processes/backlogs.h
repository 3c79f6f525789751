/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long messages have been waiting, from readings of a node's memory. A message that is found again has waited at
 * least since the earlier reading. Memory of a received message is soon reused, so one address proves little. Messages
 * are the same if their receiver has not executed since, or if several are still adjacent.
 */
#ifndef ERLBPF_NODE_PROCESSES_BACKLOGS_H
#define ERLBPF_NODE_PROCESSES_BACKLOGS_H

#include <stddef.h>
#include <stdint.h>

#include "node/processes/processes.h"

struct backlogs;

/* NULL and errno on failure. */
struct backlogs *backlogs_new(void);
void backlogs_free(struct backlogs *backlogs);

/* Takes a reading; call it after processes_read(). If memory is exhausted, less is known. */
void backlogs_look(struct backlogs *backlogs, struct processes *processes, uint64_t now_ns);

/* The oldest messages of a mailbox, then those behind them, and since when they are known to wait. */
struct backlog_part {
	uint64_t since_ns;
	uint64_t messages;
};

#define BACKLOG_PARTS 10

/* From the last reading. The number of parts, 0 if nothing is known. */
size_t backlogs_parts(const struct backlogs *backlogs, uint64_t id, struct backlog_part parts[BACKLOG_PARTS]);

/*
 * The address of the oldest message at the last reading, and since when it is unchanged: for callers who know that the
 * address was not reused. 0: unknown.
 */
uint64_t backlogs_head(const struct backlogs *backlogs, uint64_t id, uint64_t *since_ns);

#endif
