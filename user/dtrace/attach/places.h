/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places: positions in the code of processes where programs of a D unit are attached, for the provider pid and for SDT
 * notes. More can appear while the trace runs.
 */
#ifndef ERLBPF_DTRACE_ATTACH_PLACES_H
#define ERLBPF_DTRACE_ATTACH_PLACES_H

#include "dtrace/provider/probes.h"
#include "load/kernel/kernel.h"
#include "load/load.h"

struct places;

/* All must outlive it. `args`: arguments that programs read, one bit each. NULL: out of memory. */
struct places *places_new(struct loader *loader, const struct kernel *kernel, unsigned int args);
void places_free(struct places *places);

/* True for a probe with places. */
bool probe_has_places(const struct d_probe *probe);

/* The program of a probe. */
struct d_started {
	const char *program;
	const struct erl_config *config; /* data of a process that is a BEAM; NULL: none */
	unsigned int times;
};

/* Loads the program variants for the probe, and adds its new places. 0 or -errno, reported. */
int places_add(struct places *places, const struct d_probe *probe, const struct d_started *started);

/* Attaches programs to new places. 0 or -errno, reported. */
int places_attach(struct places *places);

/* Forgets the places of ended processes. */
void places_reap(struct places *places);

/* Detaches all. */
void places_detach(struct places *places);

#endif
