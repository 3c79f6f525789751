/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a node that do not run, or only on a dirty scheduler, and their stacks, read from its memory without
 * a probe. Of many that do not run, it is a part that is chosen by their ids: always the same ones, each for several.
 */
#ifndef ERLBPF_PROFILE_CENSUS_H
#define ERLBPF_PROFILE_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "target/target.h"

struct census;

struct census_process {
	uint64_t id, reds; /* it has not run as long as they are the same */
	uint64_t stands_for;
	enum off_reason reason;
	struct sample_stack stack;
};

/* The target must outlive it. NULL and errno; ENOENT if this release is not known. */
struct census *census_new(const struct target *target);
void census_free(struct census *census); /* NULL-safe */

/* Is it one of those that are looked at? */
bool census_has(const struct census *census, uint64_t id);

/* Does it have nothing to do now? False where that cannot be read. */
bool census_is_idle(const struct census *census, uint64_t id);

/* Calls `visit` for those that `wants` (which may be NULL) is true of. 0 or -errno. */
struct census_request {
	const struct sample_node *node; /* as the programs know it */
	bool by_process;		/* stacks have their pid */
	bool only_held;			/* those on dirty schedulers */
	bool takes_gc;			/* ... also who is collected there */
	bool takes_all;			/* however many there are: few are wanted */
	bool (*wants)(void *data, uint64_t id);
	void (*visit)(void *data, const struct census_process *process);
	void *data;
};

int census_take(struct census *census, const struct census_request *request);

#endif
