/* SPDX-License-Identifier: BSD-2-Clause */
/* Who monitors the same again and again and never stops, and for whom very many timers are pending. */
#ifndef ERLBPF_WHY_PROCESSES_MONITORS_TIMERS_H
#define ERLBPF_WHY_PROCESSES_MONITORS_TIMERS_H

#include "why/processes/large_trees.h"
#include "why/source/signs.h"

/* At the first reading. */
struct monitors_timers {
	struct large_trees monitors, timers;
	bool is_read;
};

/* After a reading of the processes: only the first one is used. */
void monitors_timers_read(struct monitors_timers *monitoring, struct processes *processes);

/* As they are now, into signs->monitors and signs->timed. */
void monitors_timers_finish(const struct monitors_timers *monitoring, struct processes *processes, struct signs *signs);

#endif
