/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a node that do not run, or only on a dirty scheduler, and their stacks, read from its memory without
 * a probe. Of many that do not run, it is a part that is chosen by their ids: always the same ones, each for several.
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
	uint64_t id, reds; /* it has not run as long as they are the same */
	uint64_t stands_for;
	enum off_reason reason;
	struct sample_stack stack;
};

/* The target must outlive it. NULL and errno; ENOENT if this release is not known. */
struct off_scheduler *off_scheduler_new(const struct target *target);
void off_scheduler_free(struct off_scheduler *off_scheduler); /* NULL-safe */

/* Is it one of those that are looked at? */
bool off_scheduler_has(const struct off_scheduler *off_scheduler, uint64_t id);

/* Does it have nothing to do now? False where that cannot be read. */
bool off_scheduler_is_idle(const struct off_scheduler *off_scheduler, uint64_t id);

/* Calls `visit` for those that `wants` (which may be NULL) is true of. 0 or -errno. */
struct off_scheduler_request {
	const struct sample_node *node; /* as the programs know it */
	bool by_process;		/* stacks have their pid */
	bool only_held;			/* those on dirty schedulers */
	bool takes_gc;			/* ... also who is collected there */
	bool takes_all;			/* however many there are: few are wanted */
	bool (*wants)(void *data, uint64_t id);
	void (*visit)(void *data, const struct off_scheduler_process *process);
	void *data;
};

int off_scheduler_take(struct off_scheduler *off_scheduler, const struct off_scheduler_request *request);

#endif
