/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places: where in the code of processes the programs of a D unit are put, for the provider pid and for SDT notes. More
 * may come while the trace runs.
 */
#ifndef ERLBPF_DTRACE_ATTACH_PLACES_H
#define ERLBPF_DTRACE_ATTACH_PLACES_H

#include "dtrace/provider/probes.h"
#include "load/kernel/kernel.h"
#include "load/load.h"

struct places;

/* All must outlive it. `args`: the arguments that programs read, a bit for each. NULL: memory is short. */
struct places *places_new(struct loader *loader, const struct kernel *kernel, unsigned int args);
void places_free(struct places *places);

/* Is it a probe that has places? */
bool places_are_of(const struct d_probe *probe);

/* What a probe starts. */
struct d_started {
	const char *program;
	const struct erl_config *config; /* what it may know of a process that is a BEAM; NULL: nothing */
	unsigned int times;
};

/*
 * Load what the probe needs of the program, and remember its places, those that it did not have before. 0 or -errno,
 * explained.
 */
int places_add(struct places *places, const struct d_probe *probe, const struct d_started *started);

/* Put programs where none is yet. 0 or -errno, explained. */
int places_attach(struct places *places);

/* Forget those of processes that have ended. */
void places_reap(struct places *places);

/* Take them away. */
void places_detach(struct places *places);

#endif
