// SPDX-License-Identifier: BSD-2-Clause
#include "profile/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.skel.h"
#include "load/dump.h"
#include "load/load.h"
#include "profile/probing.h"
#include "profile/totals.h"

struct events {
	struct events_request how;
	struct probing *probing;
};

#define GC_PROBES "erlang:gc_minor-start", "erlang:gc_minor-end", "erlang:gc_major-start", "erlang:gc_major-end"
#define MOST_PROBES 6

/* The programs that a weight needs, and the arguments that they read. */
static const struct {
	const char *probes[MOST_PROBES + 1];
	unsigned int args;
	bool with_terms;
} needs[] = {
	[EVENT_HITS] = { { "erlang:*" }, 1, false },
	[EVENT_CALLS] = { { "vm:uprobe-entry" }, 0, false },
	[EVENT_ARGUMENT] = { { "erlang:*" }, 1, false },
	[EVENT_SENT] = { { "erlang:*", "vm:message-send-copy" }, 3 | 1 << ERL_ARG_TERM, true },
	[EVENT_GC_TIME] = { { GC_PROBES }, 1, false },
	[EVENT_RECLAIMED] = { { GC_PROBES }, 3, false },
	[EVENT_GROWTH] = { { GC_PROBES, "erlang:process-spawn", "erlang:process-exit" }, 1, false },
	[EVENT_LOCK_TIME] = { { "vm:lock-wait", "vm:lock-taken" }, 15, false },
};

static bool is_needed(const void *data, const char *probe, const struct attachment *so_far)
{
	const struct events *events = data;
	const char *const *probes = needs[events->how.weight].probes;

	(void)so_far;
	for (size_t i = 0; probes[i]; i++) {
		if (!strcmp(probes[i], probe))
			return true;
	}
	return false;
}

/* Programs that are not required: they improve results or free memory. */
static bool is_required(const void *data, const char *probe)
{
	(void)data;
	return strcmp(probe, "erlang:process-exit") && strcmp(probe, "erlang:process-spawn");
}

/* At these probes, the process is stopped at the address where it continues. */
static bool is_stop(const char *probe)
{
	return probe && (!strcmp(probe, "process-unscheduled") || !strcmp(probe, "erlang:process-unscheduled") ||
			 !strcmp(probe, "process-out") || !strcmp(probe, "vm:process-out"));
}

static int set_variables(const struct events *events)
{
	const struct events_request *how = &events->how;
	const struct {
		const char *name;
		uint64_t value;
	} variables[] = {
		{ "event_weight", how->weight },	  { "event_argument", how->argument },
		{ "event_is_stop", is_stop(how->probe) }, { "event_by_process", how->by_process },
		{ "event_erl_pid", how->process },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(variables) / sizeof(*variables); i++)
		err = loader_set(probing_loader(events->probing), variables[i].name, &variables[i].value,
				 sizeof(variables[i].value));
	return err;
}

static int make_probing(struct events *events)
{
	const struct events_request *request = &events->how;
	struct probing_request how = {
		.nodes = request->nodes,
		.share = request->share,
		.option = request->option,
		.attach = {
			.kernel = request->kernel,
			.glob = request->probe ? request->probe : "*",
			.is_needed = is_needed,
			.is_required = is_required,
			.needed_data = events,
			.functions = request->functions,
			.with_terms = needs[request->weight].with_terms,
			.args = needs[request->weight].args | 1u << request->argument,
			.erl_pid = request->process,
		},
	};

	how.elf = events_bpf__elf_bytes(&how.elf_size);
	events->probing = probing_new(&how);
	return events->probing ? 0 : -errno;
}

struct events *events_new(const struct events_request *request)
{
	struct events *events = calloc(1, sizeof(*events));
	int err;

	if (!events)
		return NULL;
	events->how = *request;
	err = make_probing(events);
	if (!err)
		err = set_variables(events);
	if (!err)
		err = probing_prepare(events->probing);
	if (!err)
		return events;
	events_free(events);
	errno = -err;
	return NULL;
}

void events_free(struct events *events)
{
	if (!events)
		return;
	probing_free(events->probing);
	free(events);
}

struct probing *events_probing(const struct events *events)
{
	return events->probing;
}

int events_read(const struct events *events, events_visitor *visit, void *data)
{
	struct dump dump = {};
	int err = dump_take(loader_map(probing_loader(events->probing), "kept_stacks"), sizeof(uint64_t),
			    sizeof(struct kept_stack), &dump);

	for (size_t i = 0; !err && i < dump.count; i++) {
		const struct kept_stack *stack = (const struct kept_stack *)dump.values + i;
		uint64_t weight = stack->weights[0];

		if (weight)
			visit(data, &stack->stack, weight);
	}
	dump_free(&dump);
	return err;
}

const char *events_lock(struct events *events, uint32_t os_id, const struct sample_stack *stack)
{
	return probing_id_text(events->probing, os_id, stack->lock);
}

uint64_t events_total(const struct events *events, enum event_total total)
{
	return totals_read(loader_map(probing_loader(events->probing), "event_totals"), total);
}
