/* SPDX-License-Identifier: BSD-2-Clause */
/* Who monitors the same again and again, and never stops: monitors that only become more. */
#ifndef ERLBPF_WHY_MONITORING_H
#define ERLBPF_WHY_MONITORING_H

#include "node/processes.h"
#include "why/signs.h"

#define MONITORING_FEW 16

/* Processes with many monitors, and how many. */
struct monitoring {
	struct monitoring_count {
		uint64_t id, count;
	} before[MONITORING_FEW];
	size_t before_count;
	bool is_read;
};

/* After a reading of the processes: only the first one is used. */
void monitoring_read(struct monitoring *monitoring, struct processes *processes);

/* As they are now, into signs->monitors. */
void monitoring_finish(const struct monitoring *monitoring, struct processes *processes, struct signs *signs);

#endif
