/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes were found running, and in how many samples. */
#ifndef ERLBPF_NODE_PROCESSES_RUNNING_H
#define ERLBPF_NODE_PROCESSES_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct running_process {
	uint64_t id;
	uint32_t hits;
};

/* Zeroed at first. */
struct running {
	struct running_process *list;
	size_t count;
	bool is_full; /* of processes that are no more to be merged */
};

/* One that a sample has found; those that do not fit are left out. */
void running_add(struct running *running, uint64_t id);

/* Each process once, in the order of their ids. */
void running_merge(struct running *running);

void running_clear(struct running *running);
void running_free(struct running *running);

#endif
