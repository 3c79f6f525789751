/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ports and connections suspend processes, and how much of the time. */
#ifndef ERLBPF_WHY_PROCESSES_SUSPENDED_H
#define ERLBPF_WHY_PROCESSES_SUSPENDED_H

#include "node/processes/busy.h"
#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/source/signs.h"

#define SUSPENDED_MOST 32

struct suspended {
	uint64_t looks;
	size_t count;
	struct suspension {
		struct busy_wait last;
		uint64_t looks, seen_in, processes;
	} all[SUSPENDED_MOST];
};

/* Look once. */
void suspended_look(struct suspended *suspended, const struct target *target, const struct erl_pid_layout *pids);

void suspended_finish(struct suspended *suspended, struct processes *processes, struct signs *signs);

#endif
