// SPDX-License-Identifier: BSD-2-Clause
#include "budget/bill.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "budget/run_time.h"
#include "probe/catalogue.h"

#define PIECE_HITS 200
/* Of breakpoints of the VM: to measure a call (call_time), and to count one (call_count). */
#define VM_MEASURES_NS 1000
#define VM_COUNTS_NS 20

static void add_line(struct bill *bill, const struct bill_line *line, const struct hit_costs *costs)
{
	for (size_t i = 0; i < bill->count; i++) {
		if (bill->lines[i].probe != line->probe)
			continue;
		if (costs->ns[line->kind] > costs->ns[bill->lines[i].kind])
			bill->lines[i].kind = line->kind;
		if (costs->ns[line->entry] > costs->ns[bill->lines[i].entry])
			bill->lines[i].entry = line->entry;
		return;
	}
	if (array_has_room(bill->lines, bill->count))
		bill->lines[bill->count++] = *line;
}

static void add_hardware(struct bill *bill, const struct hit_costs *costs)
{
	const struct bill_line line = {
		.probe = (uint32_t)probe_find("vm", "breakpoint-entry"),
		.kind = HIT_REGISTER,
		.entry = HIT_REGISTER,
	};

	add_line(bill, &line, costs);
}

/* The VM measures calls from entry to return. */
static uint64_t vm_ns_of(uint32_t probe)
{
	return probe == (uint32_t)probe_find("vm", "breakpoint-return") ? VM_MEASURES_NS : 0;
}

static void add_attachment(struct bill *bill, const struct attachment *a, const struct hit_costs *costs)
{
	if (a->hardware)
		add_hardware(bill, costs);
	for (size_t i = 0; i < a->plan_count; i++) {
		const struct plan *plan = &a->plans[i];

		/* What is saved at the entry for the return is a hit of the return's probe. */
		if (plan->wanted == LOADER_SAVE_PROGRAM)
			continue;
		for (size_t site = 0; site < plan->count; site++) {
			struct bill_line line = {
				.probe = plan->cookies[site] & ((1u << ERL_PROBE_BITS) - 1),
				/* Hits of others are counted apart, so these make none of their probe dearer. */
				.entry = plan->kinds[site] == HIT_STEPPED ? HIT_NOP5 : plan->kinds[site],
				.is_detail = plan->is_detail,
				.at_return = plan->at_return,
			};

			line.vm_ns = vm_ns_of(line.probe);
			line.kind = plan->at_return ? HIT_RETURN : line.entry;
			add_line(bill, &line, costs);
		}
	}
}

void bill_begin(struct bill *bill)
{
	*bill = (struct bill){ .stats = run_time_measure() };
}

uint64_t bill_pieces_add(struct bill_pieces *pieces, uint64_t hits, uint64_t run_ns)
{
	if (pieces->count < BILL_PIECES && hits >= pieces->hits + PIECE_HITS) {
		pieces->ns[pieces->count++] = (run_ns - pieces->run_ns) / (hits - pieces->hits);
		pieces->hits = hits;
		pieces->run_ns = run_ns;
	}
	if (pieces->count < BILL_PIECES)
		return 0;
	qsort(pieces->ns, BILL_PIECES, sizeof(*pieces->ns), array_compare_u64);
	return pieces->ns[BILL_PIECES / 2];
}

/* Measuring costs each run some 20 ns, so it ends when enough is known. */
static void learn_programs(struct bill *bill, const struct loader *loader)
{
	bill->is_learning = bill->stats >= 0 && bill->hits >= bill->pieces.hits + PIECE_HITS;
	if (!bill->is_learning)
		return;
	bill->program_ns = bill_pieces_add(&bill->pieces, bill->hits, run_time_of(loader));
	if (!bill->program_ns)
		return;
	bill->is_learning = false;
	close(bill->stats);
	bill->stats = -1;
	pr_debug("programs take %llu ns at a hit", (unsigned long long)bill->program_ns);
}

void bill_learn(struct bill *bill, const struct follow *follow)
{
	struct hit_costs costs;

	bill->counted = 0;
	for (size_t i = 0; i < follow_count(follow); i++) {
		const struct breakpoints *breakpoints = follow_get(follow, i)->breakpoints;

		bill->counted += breakpoints ? breakpoints_calls(breakpoints) : 0;
	}
	if (bill->targets == follow_count(follow))
		return;
	costs = hit_costs_now();
	for (; bill->targets < follow_count(follow); bill->targets++)
		add_attachment(bill, follow_get(follow, bill->targets), &costs);
}

void bill_forget(struct bill *bill)
{
	bill->targets = 0;
}

static void read_hits(int map, struct bill_line *line, struct erl_count *counts, int cpus)
{
	line->plain = line->stepped = (struct bill_hits){};
	line->events = 0;
	if (bpf_map_lookup_elem(map, &line->probe, counts))
		return;
	for (int i = 0; i < cpus; i++) {
		line->events += counts[i].events;
		line->plain.hits += counts[i].hits[0];
		line->plain.saves += counts[i].saves[0];
		line->stepped.hits += counts[i].hits[1];
		line->stepped.saves += counts[i].saves[1];
	}
}

/* Of each probe, and of all. */
static void count_hits(struct bill *bill, const struct loader *loader)
{
	int cpus = libbpf_num_possible_cpus(), map = loader_map(loader, "erl_counts");
	_cleanup_free_ struct erl_count *counts = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*counts));

	bill->hits = bill->events = 0;
	for (size_t i = 0; i < bill->count && counts && cpus > 0 && map >= 0; i++) {
		read_hits(map, &bill->lines[i], counts, cpus);
		bill->hits += bill->lines[i].plain.hits + bill->lines[i].stepped.hits;
		bill->events += bill->lines[i].events;
	}
}

/*
 * A hit at a return is paid with that at the entry. While links come and go one after the other, there are entries
 * whose returns are no hits.
 */
static uint64_t hits_ns(const struct bill_hits *counted, uint64_t hit_ns, uint64_t entry_ns)
{
	uint64_t alone = counted->saves > counted->hits ? counted->saves - counted->hits : 0;

	return counted->hits * hit_ns + alone * entry_ns;
}

uint64_t bill_line_ns(const struct bill_line *line, const struct hit_costs *costs, uint64_t program_ns)
{
	enum hit_kind stepped = line->at_return ? HIT_STEPPED_RETURN : HIT_STEPPED;
	uint64_t more_ns = program_ns + line->vm_ns;

	return hits_ns(&line->plain, costs->ns[line->kind] + more_ns, costs->ns[line->entry] + program_ns) +
	       hits_ns(&line->stepped, costs->ns[stepped] + more_ns, costs->ns[HIT_STEPPED] + program_ns);
}

struct bill_sum bill_sum(struct bill *bill, const struct loader *loader, const struct hit_costs *costs)
{
	struct bill_sum sum = { .counted_ns = bill->counted * VM_COUNTS_NS };

	count_hits(bill, loader);
	learn_programs(bill, loader);
	for (size_t i = 0; i < bill->count; i++) {
		const struct bill_line *line = &bill->lines[i];
		uint64_t ns = bill_line_ns(line, costs, bill_program_ns(bill));

		sum.all_ns += ns;
		sum.details_ns += line->is_detail ? ns : 0;
	}
	return sum;
}

uint64_t bill_program_ns(const struct bill *bill)
{
	return bill->program_ns ? bill->program_ns : HIT_PROGRAM_NS;
}

void bill_free(struct bill *bill)
{
	if (bill->stats >= 0)
		close(bill->stats);
	free(bill->lines);
	*bill = (struct bill){ .stats = -1 };
}
