/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hit costs on this machine. A trap takes from 0.5 to 6 us, and several times as long where an instruction is
 * single-stepped, so it is measured, on ourselves: a thread puts probes on functions of ours and calls them.
 *
 * In a node the work between two hits has filled the caches with its own data, so that a hit costs more than one that
 * follows another at once, and what comes after it is slower, too. So it is measured with such work between the hits.
 */
#ifndef ERLBPF_BUDGET_HIT_COST_H
#define ERLBPF_BUDGET_HIT_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "trace/hit_kind.h"

/* What a program takes at a hit while that has not been measured, in nanoseconds. */
#define HIT_PROGRAM_NS 700

struct hit_costs {
	uint64_t ns[HIT_KINDS];	     /* in a node */
	uint64_t bare_ns[HIT_KINDS]; /* of hits in a row: no hit costs less */
	uint64_t pair_ns;	     /* from one plain hit to the next, as their programs see it */
	uint64_t call_ns;	     /* from the hit at the entry of an empty function to that at its return */
	bool is_measured;	     /* else these are those of a machine of 2.3 GHz */
};

/* Begins to measure, beside, which takes some hundredths of a second. More than once does no harm. */
void hit_costs_begin(const struct kernel *kernel);

/* As far as it is known now. */
struct hit_costs hit_costs_now(void);

/* Waits for it, not longer than so. */
struct hit_costs hit_costs_wait(unsigned int most_ms);

#endif
