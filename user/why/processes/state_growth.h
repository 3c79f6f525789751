/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes with large heaps whose state only becomes more. */
#ifndef ERLBPF_WHY_PROCESSES_STATE_GROWTH_H
#define ERLBPF_WHY_PROCESSES_STATE_GROWTH_H

#include "node/processes/processes.h"
#include "why/source/signs.h"

#define STATES_MOST 16

/* A number that is read a few times. */
struct state_count {
	uint64_t first, last;
	unsigned int looks, rises;
};

struct state_growths {
	struct state {
		uint64_t id;
		struct state_count maps, dictionary, lists;
	} all[STATES_MOST];
	size_t count;
	bool are_chosen;
};

/* After each reading of the processes: those with the largest heaps at the first one are followed. */
void state_growth_read(struct state_growths *states, struct processes *processes);

void state_growth_finish(const struct state_growths *states, struct processes *processes, struct signs *signs);

#endif
