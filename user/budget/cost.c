// SPDX-License-Identifier: BSD-2-Clause
#include "budget/cost.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "budget/hit_cost.h"

struct reading {
	const struct follow *follow;
	struct cost *cost;
};

/* The plan of a target that has the program; NULL: none. */
static const struct plan *plan_of(const struct attachment *a, int program)
{
	for (size_t i = 0; i < a->plan_count; i++) {
		if (a->plans[i].program == program)
			return &a->plans[i];
	}
	return NULL;
}

/* Of the plan's most expensive site. */
static uint64_t plan_hit_ns(const struct plan *plan, const struct hit_costs *costs)
{
	uint64_t most = 0;

	for (size_t i = 0; i < plan->count; i++) {
		enum hit_kind kind = plan->kinds[i];

		if (plan->at_return)
			kind = kind == HIT_STEPPED ? HIT_STEPPED_RETURN : HIT_RETURN;
		most = costs->ns[kind] > most ? costs->ns[kind] : most;
	}
	return most;
}

/* Nodes that share a program have it at the same kind of site. */
static uint64_t hit_ns(const struct reading *reading, int program)
{
	size_t count = reading->follow ? follow_count(reading->follow) : 0;
	struct hit_costs costs = hit_costs_now();

	for (size_t i = 0; i < count; i++) {
		const struct plan *plan = plan_of(follow_get(reading->follow, i), program);

		if (plan)
			return plan_hit_ns(plan, &costs);
	}
	return costs.ns[HIT_PLAIN];
}

/* How often it ran. */
static uint64_t add_run_time(struct cost *cost, int program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(program, &info, &size))
		return 0;
	cost->run_ns += info.run_time_ns;
	cost->hits += info.run_cnt;
	return info.run_cnt;
}

static void add_at_sites(void *data, int program)
{
	const struct reading *reading = data;

	reading->cost->hit_ns += add_run_time(reading->cost, program) * hit_ns(reading, program);
}

void cost_add_programs(const struct loader *loader, const struct follow *follow, struct cost *cost)
{
	struct reading reading = { follow, cost };

	loader_each_program(loader, add_at_sites, &reading);
}

void cost_add_program(void *cost, int program)
{
	add_run_time(cost, program);
}

void cost_estimate(uint64_t hits, struct cost *cost)
{
	*cost = (struct cost){ .run_ns = hits * HIT_PROGRAM_NS,
			       .hits = hits,
			       .hit_ns = hits * hit_costs_now().ns[HIT_PLAIN] };
}

/* A ring shows how far its reader has come in its first page, and its writers in the second. */
static bool read_position(int map, off_t page, unsigned long *position)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, map, page * (off_t)size);

	if (at == MAP_FAILED)
		return false;
	*position = __atomic_load_n((const unsigned long *)at, __ATOMIC_ACQUIRE);
	munmap((void *)(uintptr_t)at, size);
	return true;
}

double cost_ring_use(const struct loader *loader)
{
	int map = loader_map(loader, "erl_ring");
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);
	unsigned long read, written;

	if (map < 0 || bpf_obj_get_info_by_fd(map, &info, &size) || !info.max_entries ||
	    !read_position(map, 0, &read) || !read_position(map, 1, &written))
		return 0;
	return (double)(written - read) / info.max_entries;
}
