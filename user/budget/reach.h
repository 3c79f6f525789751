/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases of which windows miss some. A window measures those that begin while it is open, to its end at the latest: all
 * that take as long as it takes to close, fewer of longer ones, and none that takes longer than the whole. For each
 * duration it is known for how long one could have begun and still been measured; so those that were measured stand
 * for the others.
 */
#ifndef ERLBPF_BUDGET_REACH_H
#define ERLBPF_BUDGET_REACH_H

#include <stdint.h>

#include "hist.h"

/* More than so many cases none stands for: it would be a matter of luck whether there are many or none. */
#define REACH_MOST 8

struct reach {
	uint64_t ns[HIST_SLOTS]; /* in which a case of such a duration could begin */
};

/* Cases that began from opened_ns on and before closed_ns, and ended before ended_ns. */
void reach_add(struct reach *reach, uint64_t opened_ns, uint64_t closed_ns, uint64_t ended_ns);

/* For how many cases one in that slot stands, from one state to a later one, between which windows were open for on_ns.
 */
double reach_weight(const struct reach *before, const struct reach *now, uint64_t on_ns, uint32_t slot);

#endif
