// SPDX-License-Identifier: BSD-2-Clause
#include "run/bill.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "load/run_time.h"
#include "probe/instruction.h"

#define PROGRAM_NS 700 /* what programs take at a hit as long as it is not known */
#define ENOUGH_HITS 2000

static enum hit_kind kind_of_code(const struct vm *vm, unsigned long offset)
{
	unsigned char code[INSTRUCTION_LONGEST];
	ssize_t size = pread(vm->fd, code, sizeof(code), (off_t)offset);

	if (size <= 0)
		return HIT_STEPPED;
	if (instruction_is_nop5(code, (size_t)size))
		return HIT_NOP5;
	return instruction_is_stepped(image_arch(vm->image), code, (size_t)size) ? HIT_STEPPED : HIT_PLAIN;
}

static void add_line(struct bill *bill, const struct bill_line *line, const struct hit_costs *costs)
{
	for (size_t i = 0; i < bill->count; i++) {
		if (bill->lines[i].probe != line->probe)
			continue;
		if (costs->ns[line->kind] > costs->ns[bill->lines[i].kind])
			bill->lines[i].kind = line->kind;
		return;
	}
	if (array_has_room(bill->lines, bill->count))
		bill->lines[bill->count++] = *line;
}

static void add_attachment(struct bill *bill, const struct attachment *a, const struct hit_costs *costs)
{
	for (size_t i = 0; i < a->plan_count; i++) {
		const struct plan *plan = &a->plans[i];

		/* What is saved at the entry for the return is a hit of the return's probe. */
		if (plan->wanted == LOADER_SAVE_PROGRAM)
			continue;
		for (size_t site = 0; site < plan->count; site++) {
			struct bill_line line = {
				.probe = plan->cookies[site] & ((1u << ERL_PROBE_BITS) - 1),
				.kind = HIT_RETURN,
				.is_detail = plan->is_detail,
			};

			if (!plan->at_return)
				line.kind = kind_of_code(a->target->vm, plan->offsets[site]);
			add_line(bill, &line, costs);
		}
	}
}

void bill_begin(struct bill *bill)
{
	*bill = (struct bill){ .stats = run_time_measure() };
}

/* What programs take at a hit. Measuring costs each run some 20 ns, so it ends when that is known. */
static void learn_programs(struct bill *bill, const struct loader *loader)
{
	if (bill->stats < 0 || bill->hits < ENOUGH_HITS)
		return;
	bill->program_ns = run_time_of(loader) / bill->hits;
	close(bill->stats);
	bill->stats = -1;
	pr_debug("programs take %llu ns at a hit", (unsigned long long)bill->program_ns);
}

void bill_learn(struct bill *bill, const struct follow *follow)
{
	struct hit_costs costs;

	if (bill->targets == follow_count(follow))
		return;
	costs = hit_costs_now();
	for (; bill->targets < follow_count(follow); bill->targets++)
		add_attachment(bill, follow_get(follow, bill->targets), &costs);
}

static uint64_t read_hits(int map, uint32_t probe, struct erl_count *counts, int cpus)
{
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(map, &probe, counts))
		return 0;
	for (int i = 0; i < cpus; i++)
		sum += counts[i].hits;
	return sum;
}

/* Of each probe, and of all. */
static void count_hits(struct bill *bill, const struct loader *loader)
{
	int cpus = libbpf_num_possible_cpus(), map = loader_map(loader, "erl_counts");
	_cleanup_free_ struct erl_count *counts = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*counts));

	bill->hits = 0;
	for (size_t i = 0; i < bill->count && counts && cpus > 0 && map >= 0; i++) {
		bill->lines[i].hits = read_hits(map, bill->lines[i].probe, counts, cpus);
		bill->hits += bill->lines[i].hits;
	}
}

struct bill_sum bill_sum(struct bill *bill, const struct loader *loader, const struct hit_costs *costs)
{
	struct bill_sum sum = {};

	count_hits(bill, loader);
	learn_programs(bill, loader);
	for (size_t i = 0; i < bill->count; i++) {
		const struct bill_line *line = &bill->lines[i];
		uint64_t ns = line->hits * (costs->ns[line->kind] + bill_program_ns(bill));

		sum.all_ns += ns;
		sum.details_ns += line->is_detail ? ns : 0;
	}
	return sum;
}

uint64_t bill_program_ns(const struct bill *bill)
{
	return bill->program_ns ? bill->program_ns : PROGRAM_NS;
}

void bill_free(struct bill *bill)
{
	if (bill->stats >= 0)
		close(bill->stats);
	free(bill->lines);
	*bill = (struct bill){ .stats = -1 };
}
