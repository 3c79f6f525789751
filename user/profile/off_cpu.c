// SPDX-License-Identifier: BSD-2-Clause
#include "profile/off_cpu.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "load/dump.h"
#include "load/load.h"
#include "off-cpu.skel.h"
#include "profile/probing.h"
#include "profile/totals.h"
#include "profile/waits.h"

struct off_cpu {
	struct off_cpu_request how;
	struct probing *probing;
	struct waits *waits;
};

/* The program for ended processes only frees memory, so it is not required. */
static bool is_required(const void *data, const char *probe)
{
	(void)data;
	return strcmp(probe, "erlang:process-exit") && strcmp(probe, "vm:process-wake");
}

static int set_variables(struct off_cpu *off)
{
	uint64_t by_process = off->how.by_process, takes_gc = off->how.takes_gc;
	struct loader *loader = probing_loader(off->probing);
	int err = loader_set(loader, "off_by_process", &by_process, sizeof(by_process));

	if (!err)
		err = loader_set(loader, "off_takes_gc", &takes_gc, sizeof(takes_gc));
	return err ? err : loader_set(loader, "off_erl_pid", &off->how.process, sizeof(off->how.process));
}

static void on_window_over(void *data, uint64_t from_ns, uint64_t to_ns, bool is_last)
{
	const struct off_cpu *off = data;

	waits_end_window(off->waits, from_ns, to_ns, is_last);
}

static int make_probing(struct off_cpu *off)
{
	const struct off_cpu_request *request = &off->how;
	struct probing_request how = {
		.nodes = request->nodes,
		.share = request->share,
		.option = "--off-cpu",
		.window_over = on_window_over,
		.data = off,
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

static int make_waits(struct off_cpu *off)
{
	const struct waits_request how = {
		.probing = off->probing,
		.by_process = off->how.by_process,
		.takes_gc = off->how.takes_gc,
		.process = off->how.process,
	};

	off->waits = waits_new(&how);
	return off->waits ? 0 : -errno;
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
		err = make_waits(off);
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
	waits_free(off->waits);
	probing_free(off->probing);
	free(off);
}

struct probing *off_cpu_probing(const struct off_cpu *off)
{
	return off->probing;
}

void off_cpu_begin(const struct off_cpu *off)
{
	uint32_t zero = 0;
	uint64_t now;

	waits_begin(off->waits);
	now = probing_begin(off->probing);
	bpf_map_update_elem(loader_map(probing_loader(off->probing), "off_begin"), &zero, &now, BPF_ANY);
}

int off_cpu_read(struct off_cpu *off, off_cpu_visitor *visit, void *data)
{
	struct dump dump = {};
	int err = dump_take(loader_map(probing_loader(off->probing), "kept_stacks"), sizeof(uint64_t),
			    sizeof(struct kept_stack), &dump);

	for (size_t i = 0; !err && i < dump.count; i++) {
		struct kept_stack *stack = (struct kept_stack *)dump.values + i;
		uint64_t key;

		memcpy(&key, dump.keys + i * sizeof(key), sizeof(key));
		waits_add_to(off->waits, key, stack);
		for (int reason = 0; reason < OFF_REASONS; reason++) {
			uint64_t ns = stack->weights[reason];

			if (ns)
				visit(data, &stack->stack, (enum off_reason)reason, ns);
		}
	}
	dump_free(&dump);
	return err;
}

uint64_t off_cpu_total(const struct off_cpu *off, enum off_total total)
{
	return totals_read(loader_map(probing_loader(off->probing), "off_totals"), total);
}
