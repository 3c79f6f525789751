/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that wait for some milliseconds each time, again and again: they ask instead of being told. */
#ifndef ERLBPF_WHY_PROCESSES_SHORT_TIMEOUTS_H
#define ERLBPF_WHY_PROCESSES_SHORT_TIMEOUTS_H

#include <stddef.h>
#include <stdint.h>

#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/source/signs.h"
#include "why/processes/process_trends.h"

struct short_timeouts {
	size_t count;
	uint64_t active; /* processes of which these were chosen, evenly */
	unsigned int looks;
	struct short_timeout {
		uint64_t id, address;
		uint16_t timed;	  /* looks in which it had a timer, */
		uint16_t seen;	  /* ... one of so short a time */
		uint32_t left_ms; /* of these, in all */
	} all[TRENDS_ACTIVE];
};

/* After each reading of the processes, from the second on. */
void short_timeouts_read(struct short_timeouts *polls, struct processes *processes, const struct trends *trends,
			 const struct schedulers *schedulers);

/* Into the signs: polls. */
void short_timeouts_finish(const struct short_timeouts *polls, struct processes *processes, struct signs *signs);

#endif
