// SPDX-License-Identifier: BSD-2-Clause
#include "trace/plans.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/cleanup.h"

static uint32_t probe_of(uint64_t cookie)
{
	return cookie & ((1u << ERL_PROBE_BITS) - 1);
}

/* A plan of many functions has one probe for all of them: it counts once. */
static uint64_t plan_hits(const struct plan *plan, const uint64_t hits[ERL_PROBES])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++) {
		if ((!i || probe_of(plan->cookies[i]) != probe_of(plan->cookies[i - 1])) &&
		    probe_of(plan->cookies[i]) < ERL_PROBES)
			sum += hits[probe_of(plan->cookies[i])];
	}
	return sum;
}

/* There are few of them, and equal ones must stay in their order: what is saved is there before who reads it. */
void plans_sort_by(struct plan *plans, size_t count, const uint64_t hits[ERL_PROBES])
{
	for (size_t i = 1; i < count; i++) {
		struct plan plan = plans[i];
		uint64_t sum = plan_hits(&plan, hits);
		size_t at = i;

		for (; at > 0 && plan_hits(&plans[at - 1], hits) > sum; at--)
			plans[at] = plans[at - 1];
		plans[at] = plan;
	}
}

static bool share_a_site(const struct plan *a, const struct plan *b)
{
	for (size_t i = 0; i < a->count; i++) {
		for (size_t j = 0; j < b->count; j++) {
			if (a->offsets[i] == b->offsets[j])
				return true;
		}
	}
	return false;
}

static bool saves(const struct plan *plan)
{
	return plan->wanted == LOADER_SAVE_PROGRAM;
}

static void move(struct plan *plans, size_t from, size_t to)
{
	struct plan plan = plans[from];

	for (; from > to; from--)
		plans[from] = plans[from - 1];
	plans[to] = plan;
}

/* The others go before the first that saves at one of their sites, so they stay in their order. */
void plans_put_savers_last(struct plan *plans, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		size_t to = 0;

		if (saves(&plans[i]) || plans[i].at_return)
			continue;
		while (to < i && !(saves(&plans[to]) && share_a_site(&plans[to], &plans[i])))
			to++;
		if (to < i)
			move(plans, i, to);
	}
}

void plans_sort(struct plan *plans, size_t count, const struct loader *loader)
{
	int cpus = libbpf_num_possible_cpus(), map = loader_map(loader, "erl_counts");
	_cleanup_free_ struct erl_count *counts = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*counts));
	_cleanup_free_ uint64_t *hits = calloc(ERL_PROBES, sizeof(*hits));

	if (!counts || !hits || cpus <= 0 || map < 0)
		return;
	for (uint32_t probe = 0; probe < ERL_PROBES; probe++) {
		if (bpf_map_lookup_elem(map, &probe, counts))
			continue;
		for (int i = 0; i < cpus; i++)
			hits[probe] += counts[i].hits[0] + counts[i].hits[1];
	}
	plans_sort_by(plans, count, hits);
	plans_put_savers_last(plans, count);
}
