// SPDX-License-Identifier: BSD-2-Clause
/*
 * The literals of an old persistent term or module are freed when no process refers to them. The literal area collector
 * asks every process, and so does the code purger; both sleep otherwise. So their reductions measure how much is
 * replaced, times the number of processes.
 *
 * A process that replaces a term is suspended for a fraction of a millisecond, until all schedulers know. So some
 * active processes are sampled often, and others after each reading.
 *
 * Source: erts_literal_area_collector.erl and erts_code_purger.erl of OTP 25, 27 and 29, erl_bif_persistent.c. The VM
 * starts them before all others but init.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/duration.h"
#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/schedulers/stack_match.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define PURGE_CANDIDATES 32

enum purge { PURGE_TERMS, PURGE_CODE, PURGES };

struct purges {
	unsigned int readings;
	uint64_t first_ns, last_ns;
	struct purge_server {
		uint64_t id; /* 0: not found */
		uint64_t first, last;
		unsigned int rises;
	} servers[PURGES];
	bool is_on;		      /* persistent terms were replaced between the last two readings */
	size_t candidate_count, next; /* next: the row where the search for candidates goes on */
	struct {
		uint64_t id, address;
	} candidates[PURGE_CANDIDATES];
	uint64_t updater; /* found suspended in an update; 0: none */
	struct call_stack frames;
};

#define FIRST_PROCESSES 16 /* the servers are among the first rows */

static const char *const initial_calls[PURGES] = {
	[PURGE_TERMS] = "erts_literal_area_collector:start/0",
	[PURGE_CODE] = "erts_code_purger:start/0",
};

static void find_servers(struct purges *storms, struct processes *processes)
{
	char text[NAME_SIZE];

	for (size_t row = 0; row < processes_rows(processes) && row < FIRST_PROCESSES; row++) {
		struct process *process = processes_row(processes, row);

		if (!processes_has(processes, row))
			continue;
		processes_refresh_name(processes, process);
		process_initial_call(processes, process, text);
		for (int i = 0; i < PURGES; i++) {
			if (!strcmp(text, initial_calls[i]))
				storms->servers[i].id = process->id;
		}
	}
}

static void choose_candidates(struct purges *storms, struct processes *processes)
{
	size_t rows = processes_rows(processes);

	storms->candidate_count = 0;
	for (size_t i = 0; storms->is_on && i < rows && storms->candidate_count < PURGE_CANDIDATES; i++) {
		size_t row = storms->next++ % rows;
		const struct process *process = processes_row(processes, row);

		if (!processes_has(processes, row) || process->reds == process->reds_before)
			continue;
		storms->candidates[storms->candidate_count].id = process->id;
		storms->candidates[storms->candidate_count++].address = process->address;
	}
}

static void purges_read(struct purges *storms, struct processes *processes)
{
	bool is_first = !storms->readings++;

	storms->last_ns = duration_now();
	if (is_first) {
		storms->first_ns = storms->last_ns;
		find_servers(storms, processes);
	}
	for (int i = 0; i < PURGES; i++) {
		struct purge_server *server = &storms->servers[i];
		const struct process *process = server->id ? processes_find(processes, server->id) : NULL;

		if (!process)
			continue;
		if (is_first)
			server->first = process->reds;
		else
			server->rises += process->reds > server->last;
		if (i == PURGE_TERMS)
			storms->is_on = !is_first && process->reds > server->last;
		server->last = process->reds;
	}
	choose_candidates(storms, processes);
}

static const char *const in_terms[] = { "persistent_term:", NULL };
static const char *const in_code[] = { "code:", "code_server:call/", NULL };

static void purges_look(struct purges *storms, struct processes *processes)
{
	struct process_look looks[PURGE_CANDIDATES];
	uint64_t addresses[PURGE_CANDIDATES];
	struct call_stack frames;

	for (size_t i = 0; i < storms->candidate_count; i++)
		addresses[i] = storms->candidates[i].address;
	processes_look(processes, addresses, looks, storms->candidate_count);
	for (size_t i = 0; i < storms->candidate_count; i++) {
		if (looks[i].process.id != storms->candidates[i].id ||
		    strcmp(process_status(&looks[i].process), "suspended") != 0)
			continue;
		call_stack_read(processes_target(processes), &looks[i].fields, true, &frames);
		if (!stack_match(processes, &frames, in_terms, 3))
			continue;
		storms->updater = looks[i].process.id;
		storms->frames = frames;
	}
}

static void finish_one(const struct purges *storms, const struct purge_server *server, struct sign_purge *sign)
{
	double seconds = (double)(storms->last_ns - storms->first_ns) / (double)NS_PER_S;

	sign->is_steady = server->id && storms->readings > 2 && server->rises + 1 == storms->readings;
	sign->reds_per_s = seconds > 0 ? (double)(server->last - server->first) / seconds : 0;
}

static void purges_finish(const struct purges *storms, struct processes *processes, const struct samples *samples,
			  struct signs *signs)
{
	finish_one(storms, &storms->servers[PURGE_TERMS], &signs->terms.purge);
	finish_one(storms, &storms->servers[PURGE_CODE], &signs->code.purge);
	/* wait_groups.c finds those that wait. */
	if (signs->terms.purge.is_steady)
		stack_match_most(processes, samples, in_terms, 3, &signs->terms.purge.process);
	if (!signs->terms.purge.process.id && storms->updater)
		sign_process_fill(processes, storms->updater, &storms->frames, &signs->terms.purge.process);
	if (signs->code.purge.is_steady)
		stack_match_most(processes, samples, in_code, CALL_STACK_MAX, &signs->code.purge.process);
}

static void source_sample(void *state, struct why_node *node)
{
	purges_look(state, node->processes);
}

static void source_read(void *state, struct why_node *node)
{
	purges_read(state, node->processes);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	purges_finish(state, node->processes, node->samples, signs);
}

const struct why_source purges_source = {
	.size = sizeof(struct purges),
	.sample = source_sample,
	.read = source_read,
	.finish = source_finish,
};
