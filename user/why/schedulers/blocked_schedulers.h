/* SPDX-License-Identifier: BSD-2-Clause */
/* Schedulers that sleep while they run a process: in which function, and for functions of ets, on which table. */
#ifndef ERLBPF_WHY_SCHEDULERS_BLOCKED_SCHEDULERS_H
#define ERLBPF_WHY_SCHEDULERS_BLOCKED_SCHEDULERS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/host/host_cpu.h"
#include "why/source/signs.h"

#define BLOCKED_MOST 32 /* functions */
#define BLOCKED_IDS 8	/* processes counted separately per function */
#define BLOCKED_TABLES 8

struct blocked_schedulers {
	struct blocked {
		uint64_t function, hits, processes;
		uint64_t ids[BLOCKED_IDS], id_hits[BLOCKED_IDS];
		uint64_t tables[BLOCKED_TABLES], table_hits[BLOCKED_TABLES];
		struct call_stack frames;
	} all[BLOCKED_MOST];
	size_t count;
	uint64_t looks; /* samples of all normal schedulers */
};

/* Borrowed references. */
struct blocked_place {
	const struct target *target;
	struct schedulers *schedulers;
	struct processes *processes;
	const struct host_cpu *host;
};

/* Scheduler i was just found with this process. Does its thread sleep? */
bool blocked_schedulers_look(struct blocked_schedulers *sleeps, const struct blocked_place *place, size_t i,
			     const struct process_look *look);

/* Most frequent first. */
void blocked_schedulers_sort(struct blocked_schedulers *sleeps);

/* The most frequent process, and table; 0: none. */
uint64_t blocked_process(const struct blocked *blocked);
uint64_t blocked_table(const struct blocked *blocked);

#endif
