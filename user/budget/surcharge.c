// SPDX-License-Identifier: BSD-2-Clause
/*
 * A node that waits for work takes processor time without reductions, and less of it while hits take that time: then
 * the hits seem cheaper than they are, not dearer.
 */
#include "budget/surcharge.h"

#include "base/duration.h"

#define LEAST_COST_NS ((int64_t)(20 * NS_PER_MS)) /* of hits: of less it is not told what it was */

double surcharge_of(const struct pace_work *work)
{
	int64_t used_ns = work->open.own_ns + work->open.cost_ns;
	double per_reduction, more;

	if (work->open.cost_ns < LEAST_COST_NS || work->away.own_ns < LEAST_COST_NS || !work->away.reductions.count)
		return SURCHARGE_LEAST;
	per_reduction = (double)work->away.own_ns / (double)work->away.reductions.count;
	more = ((double)used_ns - per_reduction * (double)work->open.reductions.count) / (double)work->open.cost_ns;
	if (more < SURCHARGE_LEAST)
		return SURCHARGE_LEAST;
	return more < SURCHARGE_MOST ? more : SURCHARGE_MOST;
}
