/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node has more and more of, ETS tables, ports and timers, and who has what is new. */
#ifndef ERLBPF_WHY_FIND_RESOURCES_H
#define ERLBPF_WHY_FIND_RESOURCES_H

#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/schedulers/samples.h"
#include "why/source/signs.h"

struct resources;

/* All is borrowed, and must outlive it. NULL and errno. */
struct resources *resources_new(const struct target *target, const struct erl_pid_layout *pids,
				const struct schedulers *schedulers, struct processes *processes);
void resources_free(struct resources *holdings);

/* As they are now: with each reading of the processes. */
void resources_read(struct resources *holdings);

/* Into the signs: tables, ets, ports_new, timers. After the limits are there. */
void resources_finish(struct resources *holdings, const struct samples *samples, struct signs *signs);

#endif
