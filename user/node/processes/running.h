/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that were found running, with the number of samples. */
#ifndef ERLBPF_NODE_PROCESSES_RUNNING_H
#define ERLBPF_NODE_PROCESSES_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct running_process {
	uint64_t id;
	uint32_t hits;
};

/* Zero-initialised. */
struct running {
	struct running_process *list;
	size_t count;
	bool is_full; /* a merge left more than half of the room in use: do not merge again */
};

/* Counts a process found in a sample; ignored if memory is exhausted. */
void running_add(struct running *running, uint64_t id);

/* Each process once, sorted by id. */
void running_merge(struct running *running);

void running_clear(struct running *running);
void running_free(struct running *running);

#endif
