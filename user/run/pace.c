// SPDX-License-Identifier: BSD-2-Clause
#include "run/pace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "paced.h"
#include "node/schedulers.h"

#define HIT_NS 800	 /* what a hit costs the node: a trap, and a program like top's */
#define SHARE 200	 /* the account fills by one part in so many of the node's time */
#define FULL_NS NS_PER_S /* the node's time that fills it */

static void open_window(const struct pace *pace, uint64_t start_ns)
{
	struct pace_window window = { .start_ns = start_ns };
	uint32_t zero = 0;

	bpf_map_update_elem(loader_map(pace->loader, "pace_windows"), &zero, &window, BPF_ANY);
}

static uint64_t read_hits(const struct pace *pace)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ uint64_t *counts = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*counts));
	uint64_t sum = 0;
	uint32_t zero = 0;

	if (!counts || bpf_map_lookup_elem(loader_map(pace->loader, "pace_hits"), &zero, counts))
		return pace->hits;
	for (int i = 0; i < cpus; i++)
		sum += counts[i];
	return sum;
}

/* The bound holds for each node, also if all hits are of one: so the smallest decides. */
static void measure_nodes(struct pace *pace)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (pace->targets == follow_count(pace->follow))
		return;
	pace->targets = follow_count(pace->follow);
	pace->cpus = online > 0 ? (uint64_t)online : 1;
	for (size_t i = 0; i < pace->targets; i++) {
		size_t schedulers = schedulers_normal(follow_get(pace->follow, i)->target);

		if (schedulers && schedulers < pace->cpus)
			pace->cpus = schedulers;
	}
}

static void start(struct pace *pace)
{
	pace->since_ns = duration_now();
	open_window(pace, pace->since_ns);
}

static void stop(struct pace *pace, uint64_t now)
{
	if (!pace->since_ns)
		return;
	open_window(pace, 0);
	pace->on_ns += now - pace->since_ns;
	pace->since_ns = 0;
}

void pace_begin(struct pace *pace, enum pace_mode mode, struct loader *loader, struct follow *follow)
{
	*pace = (struct pace){
		.mode = mode,
		.loader = loader,
		.follow = follow,
		.last_ns = duration_now(),
	};
	measure_nodes(pace);
	pace->account_ns = (int64_t)(FULL_NS / SHARE * pace->cpus);
	if (mode != PACE_NEVER)
		start(pace);
}

void pace_hold(struct pace *pace)
{
	if (pace->mode != PACE_BOUNDED || !pace->since_ns)
		return;
	stop(pace, duration_now());
	follow_pause(pace->follow);
}

static void resume(struct pace *pace)
{
	if (follow_resume(pace->follow)) {
		/* A node that ends just now, perhaps: once more when the account is full again. */
		pace->account_ns = 0;
		return;
	}
	start(pace);
	pr_debug("probes on");
}

void pace_tick(struct pace *pace)
{
	uint64_t now = duration_now(), hits;
	int64_t full;

	if (pace->mode != PACE_BOUNDED)
		return;
	measure_nodes(pace);
	full = (int64_t)(FULL_NS / SHARE * pace->cpus);
	hits = read_hits(pace);
	pace->account_ns += (int64_t)((now - pace->last_ns) / SHARE * pace->cpus);
	pace->account_ns -= (int64_t)((hits - pace->hits) * HIT_NS);
	pace->account_ns = pace->account_ns < full ? pace->account_ns : full;
	pace->hits = hits;
	pace->last_ns = now;
	if (pace->since_ns && pace->account_ns < 0) {
		pace_hold(pace);
		pr_debug("probes off, %lld us overdrawn", (long long)-pace->account_ns / 1000);
	} else if (!pace->since_ns && pace->account_ns == full) {
		resume(pace);
	}
}

void pace_end(struct pace *pace, uint64_t now_ns)
{
	stop(pace, now_ns);
}

uint64_t pace_on_ns(const struct pace *pace, uint64_t now_ns)
{
	return pace->on_ns + (pace->since_ns ? now_ns - pace->since_ns : 0);
}
