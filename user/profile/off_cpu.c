// SPDX-License-Identifier: BSD-2-Clause
#include "profile/off_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "load/dump.h"
#include "load/guardian.h"
#include "load/hit_cost.h"
#include "load/load.h"
#include "off-cpu.skel.h"
#include "profile/layout.h"
#include "profile/totals.h"
#include "run/attach.h"
#include "run/estimate.h"
#include "run/follow.h"
#include "run/pace.h"

#define COST_WAIT_MS 40 /* for what a hit costs */

struct off_cpu {
	struct off_cpu_request how;
	struct loader *loader;
	struct attach_request request;
	struct follow *follow;
	struct pace pace;
	struct estimate estimate;
	uint64_t start_ns, end_ns;
	uint64_t known_ns; /* of what began earlier, nobody knows at the end whether it has run since */
};

/* The program that counts nothing of a process which ended only makes room. */
static bool is_required(const void *data, const char *probe)
{
	(void)data;
	return strcmp(probe, "erlang:process-exit") && strcmp(probe, "vm:process-wake");
}

static int load(struct off_cpu *off)
{
	uint64_t by_process = off->how.by_process;
	size_t size;
	const void *elf = off_cpu_bpf__elf_bytes(&size);
	int err = loader_open(elf, size, off->how.kernel, &off->loader);

	if (!err)
		err = loader_set(off->loader, "off_by_process", &by_process, sizeof(by_process));
	if (!err)
		err = loader_set(off->loader, "off_erl_pid", &off->how.process, sizeof(off->how.process));
	return err ? err : loader_make_maps(off->loader);
}

struct off_cpu *off_cpu_new(const struct off_cpu_request *request)
{
	struct off_cpu *off = calloc(1, sizeof(*off));
	int err;

	if (!off)
		return NULL;
	off->how = *request;
	err = guardian_start() ? -EIO : load(off);
	off->request = (struct attach_request){
		.loader = off->loader,
		.kernel = request->kernel,
		.glob = "*",
		.is_required = is_required,
		.args = 1, /* the process */
		.erl_pid = request->process,
	};
	if (!err) {
		off->follow = follow_new(&off->request, request->nodes);
		err = off->follow ? 0 : -errno;
	}
	if (!err)
		return off;
	off_cpu_free(off);
	errno = -err;
	return NULL;
}

void off_cpu_free(struct off_cpu *off)
{
	if (!off)
		return;
	follow_free(off->follow);
	loader_free(off->loader);
	pace_free(&off->pace);
	free(off);
}

int off_cpu_add(struct off_cpu *off, const struct target *target, uint16_t number)
{
	struct layout layout;
	int err = layout_read(target, number, &layout);

	if (!err)
		err = layout_publish(&layout, target, off->loader);
	layout_free(&layout);
	return err;
}

static void begin_pace(struct off_cpu *off)
{
	const struct pace_setup setup = {
		.mode = off->how.share > 0 ? PACE_BOUNDED : PACE_ALWAYS,
		.share = off->how.share,
		.lets_end = true,
		.advice = "times are estimates, and waits that are longer than that are missed. --exact keeps them on",
		.loader = off->loader,
		.follow = off->follow,
	};

	hit_costs_wait(COST_WAIT_MS);
	pace_begin(&off->pace, &setup);
	off->start_ns = duration_now();
}

int off_cpu_start(struct off_cpu *off)
{
	hit_costs_begin(off->how.kernel);
	if (follow_scan(off->follow) != EXIT_OK)
		return -ESRCH;
	if (!follow_stats(off->follow).attached) {
		pr_err("no node has the probes that --off-cpu needs; `erlbpf list process-scheduled` says why");
		return -ENOENT;
	}
	begin_pace(off);
	return 0;
}

void off_cpu_tick(struct off_cpu *off)
{
	pace_tick(&off->pace);
}

const struct sink_window *off_cpu_window(const struct off_cpu *off)
{
	return &off->estimate.window;
}

void off_cpu_stop(struct off_cpu *off)
{
	off->end_ns = duration_now();
	off->known_ns = off->pace.phase == PACE_OFF ? UINT64_MAX : off->pace.window.opened_ns;
	if (off->pace.began_ns) {
		pace_end(&off->pace, off->end_ns);
		estimate_turn(&off->estimate, &off->pace, off->start_ns, off->end_ns);
	}
	follow_detach(off->follow);
	kernel_quiesce();
}

/* The kernel's stacks by their keys. */
struct keyed {
	uint64_t key;
	struct off_stack *stack;
};

struct stacks {
	struct keyed *all;
	size_t count;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static int sort_stacks(const struct dump *dump, struct stacks *stacks)
{
	*stacks = (struct stacks){ .all = calloc(dump->count + 1, sizeof(*stacks->all)), .count = dump->count };
	if (!stacks->all)
		return -ENOMEM;
	for (size_t i = 0; i < dump->count; i++) {
		stacks->all[i].stack = (struct off_stack *)dump->values + i;
		memcpy(&stacks->all[i].key, dump->keys + i * sizeof(uint64_t), sizeof(uint64_t));
	}
	qsort(stacks->all, stacks->count, sizeof(*stacks->all), by_key);
	return 0;
}

static struct off_stack *find_stack(const struct stacks *stacks, uint64_t key)
{
	const struct keyed wanted = { .key = key };
	const struct keyed *found = bsearch(&wanted, stacks->all, stacks->count, sizeof(*stacks->all), by_key);

	return found ? found->stack : NULL;
}

/* As bpf/off-cpu.bpf.c does when it runs again: it does not, but the profile ends. */
static void add_waiting(const struct off_cpu *off, const struct stacks *stacks, const struct off_process *process)
{
	struct off_stack *stack = process->stack ? find_stack(stacks, process->stack) : NULL;
	uint64_t end_ns = off->end_ns;
	uint64_t ready = process->ready_ns && process->ready_ns < end_ns ? process->ready_ns : end_ns;

	if (!stack || ready < process->since_ns || process->since_ns < off->known_ns)
		return;
	stack->ns[process->is_suspended ? OFF_SUSPENDED : OFF_WAITING] += ready - process->since_ns;
	stack->ns[OFF_RUNNABLE] += end_ns - ready;
}

static void visit_all(const struct stacks *stacks, const struct sink_window *window, off_cpu_visitor *visit, void *data)
{
	for (size_t i = 0; i < stacks->count; i++) {
		const struct off_stack *stack = stacks->all[i].stack;

		for (int reason = 0; reason < OFF_REASONS; reason++) {
			uint64_t ns = estimate_scale(window, stack->ns[reason]);

			if (ns)
				visit(data, &stack->stack, (enum off_reason)reason, ns);
		}
	}
}

int off_cpu_read(struct off_cpu *off, off_cpu_visitor *visit, void *data)
{
	struct dump dump = {}, processes = {};
	struct stacks stacks = {};
	int err = dump_take(loader_map(off->loader, "off_processes"), sizeof(struct off_key),
			    sizeof(struct off_process), &processes);

	if (!err)
		err = dump_take(loader_map(off->loader, "off_stacks"), sizeof(uint64_t), sizeof(struct off_stack),
				&dump);
	if (!err)
		err = sort_stacks(&dump, &stacks);
	for (size_t i = 0; !err && i < processes.count; i++)
		add_waiting(off, &stacks, (const struct off_process *)processes.values + i);
	if (!err)
		visit_all(&stacks, off_cpu_window(off), visit, data);
	free(stacks.all);
	dump_free(&dump);
	dump_free(&processes);
	return err;
}

uint64_t off_cpu_total(const struct off_cpu *off, enum off_total total)
{
	return totals_read(loader_map(off->loader, "off_totals"), total);
}
