// SPDX-License-Identifier: BSD-2-Clause
#include "profile/off_cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/dump.h"
#include "load/load.h"
#include "off-cpu.skel.h"
#include "profile/probing.h"
#include "profile/totals.h"
#include "run/estimate.h"

struct off_cpu {
	struct off_cpu_request how;
	struct probing *probing;
};

/* The program that counts nothing of a process which ended only makes room. */
static bool is_required(const void *data, const char *probe)
{
	(void)data;
	return strcmp(probe, "erlang:process-exit") && strcmp(probe, "vm:process-wake");
}

static int set_variables(struct off_cpu *off)
{
	uint64_t by_process = off->how.by_process;
	struct loader *loader = probing_loader(off->probing);
	int err = loader_set(loader, "off_by_process", &by_process, sizeof(by_process));

	return err ? err : loader_set(loader, "off_erl_pid", &off->how.process, sizeof(off->how.process));
}

static int make_probing(struct off_cpu *off)
{
	const struct off_cpu_request *request = &off->how;
	struct probing_request how = {
		.nodes = request->nodes,
		.share = request->share,
		.option = "--off-cpu",
		.advice = "times are estimates, and waits that are longer than that are missed. --exact keeps them on",
		.attach = {
			.kernel = request->kernel,
			.glob = "*",
			.is_required = is_required,
			.args = 1, /* the process */
			.erl_pid = request->process,
		},
	};

	how.elf = off_cpu_bpf__elf_bytes(&how.elf_size);
	off->probing = probing_new(&how);
	return off->probing ? 0 : -errno;
}

struct off_cpu *off_cpu_new(const struct off_cpu_request *request)
{
	struct off_cpu *off = calloc(1, sizeof(*off));
	int err;

	if (!off)
		return NULL;
	off->how = *request;
	err = make_probing(off);
	if (!err)
		err = set_variables(off);
	if (!err)
		err = probing_prepare(off->probing);
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
	probing_free(off->probing);
	free(off);
}

struct probing *off_cpu_probing(const struct off_cpu *off)
{
	return off->probing;
}

/* The kernel's stacks by their keys. */
struct keyed {
	uint64_t key;
	struct kept_stack *stack;
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
		stacks->all[i].stack = (struct kept_stack *)dump->values + i;
		memcpy(&stacks->all[i].key, dump->keys + i * sizeof(uint64_t), sizeof(uint64_t));
	}
	qsort(stacks->all, stacks->count, sizeof(*stacks->all), by_key);
	return 0;
}

static struct kept_stack *find_stack(const struct stacks *stacks, uint64_t key)
{
	const struct keyed wanted = { .key = key };
	const struct keyed *found = bsearch(&wanted, stacks->all, stacks->count, sizeof(*stacks->all), by_key);

	return found ? found->stack : NULL;
}

/* As bpf/off-cpu.bpf.c does when it runs again: it does not, but the profile ends. */
static void add_waiting(const struct off_cpu *off, const struct stacks *stacks, uint32_t os_id,
			const struct off_process *process)
{
	struct kept_stack *stack = process->stack ? find_stack(stacks, process->stack) : NULL;
	uint64_t end_ns = probing_end_ns(off->probing, os_id);
	uint64_t ready = process->ready_ns && process->ready_ns < end_ns ? process->ready_ns : end_ns;

	if (!stack || ready < process->since_ns || process->since_ns < probing_known_ns(off->probing))
		return;
	stack->weights[process->is_suspended ? OFF_SUSPENDED : OFF_WAITING] += ready - process->since_ns;
	stack->weights[OFF_RUNNABLE] += end_ns - ready;
}

static void visit_all(const struct stacks *stacks, const struct sink_window *window, off_cpu_visitor *visit, void *data)
{
	for (size_t i = 0; i < stacks->count; i++) {
		const struct kept_stack *stack = stacks->all[i].stack;

		for (int reason = 0; reason < OFF_REASONS; reason++) {
			uint64_t ns = estimate_scale(window, stack->weights[reason]);

			if (ns)
				visit(data, &stack->stack, (enum off_reason)reason, ns);
		}
	}
}

int off_cpu_read(struct off_cpu *off, off_cpu_visitor *visit, void *data)
{
	struct dump dump = {}, processes = {};
	struct stacks stacks = {};
	const struct loader *loader = probing_loader(off->probing);
	int err = dump_take(loader_map(loader, "off_processes"), sizeof(struct off_key), sizeof(struct off_process),
			    &processes);

	if (!err)
		err = dump_take(loader_map(loader, "kept_stacks"), sizeof(uint64_t), sizeof(struct kept_stack), &dump);
	if (!err)
		err = sort_stacks(&dump, &stacks);
	for (size_t i = 0; !err && i < processes.count; i++) {
		const struct off_key *key = (const struct off_key *)processes.keys + i;

		add_waiting(off, &stacks, key->os_id, (const struct off_process *)processes.values + i);
	}
	if (!err)
		visit_all(&stacks, probing_window(off->probing), visit, data);
	free(stacks.all);
	dump_free(&dump);
	dump_free(&processes);
	return err;
}

uint64_t off_cpu_total(const struct off_cpu *off, enum off_total total)
{
	return totals_read(loader_map(probing_loader(off->probing), "off_totals"), total);
}
