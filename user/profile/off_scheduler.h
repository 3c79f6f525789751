/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of processes that do not run, or run on a dirty scheduler, read from the node's memory without a probe. If
 * there are many, reads a fixed sample, selected by id; each stands for several.
 */
#ifndef ERLBPF_PROFILE_OFF_SCHEDULER_H
#define ERLBPF_PROFILE_OFF_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "target/target.h"

struct off_scheduler;

struct off_scheduler_process {
	uint64_t id, reds; /* unchanged as long as it has not run */
	uint64_t stands_for;
	enum off_reason reason;
	struct sample_stack stack;
};

/* The target must outlive it. NULL and errno; ENOENT if this release is not known. */
struct off_scheduler *off_scheduler_new(const struct target *target);
void off_scheduler_free(struct off_scheduler *off_scheduler); /* NULL-safe */

/* True if the process is in the sample. */
bool off_scheduler_has(const struct off_scheduler *off_scheduler, uint64_t id);

/* True if the process waits and is not in a run queue. False if it cannot be read. */
bool off_scheduler_is_idle(const struct off_scheduler *off_scheduler, uint64_t id);

/* Calls `visit` for each process for which `wants` returns true (NULL: all). 0 or -errno. */
struct off_scheduler_request {
	const struct sample_node *node; /* id of the node in BPF programs */
	bool by_process;		/* stacks are grouped by pid */
	bool only_held;			/* also processes on dirty schedulers */
	bool takes_gc;			/* including collections there */
	bool takes_all;			/* no sampling: few processes are wanted */
	bool (*wants)(void *data, uint64_t id);
	void (*visit)(void *data, const struct off_scheduler_process *process);
	void *data;
};

int off_scheduler_take(struct off_scheduler *off_scheduler, const struct off_scheduler_request *request);

#endif
