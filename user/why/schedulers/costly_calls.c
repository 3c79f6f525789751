// SPDX-License-Identifier: BSD-2-Clause
/*
 * A running process is found in the BIF that it called last, which may have returned. If not, its arguments are still
 * in memory, so lists and messages count only if they are large: small ones cost little, however frequent.
 *
 * Source: ets.erl, lists.erl, gen.erl and erlang.erl of OTP 25, 27 and 29.
 */
#include "why/schedulers/costly_calls.h"

#include <string.h>

#include "node/processes/tables.h"
#include "node/terms/term_size.h"
#include "target/reader/procfs.h"
#include "term.h"
#include "why/source/sign_process.h"

#define MOST_OF 200 /* measured lists and messages, up to 64 system calls each */
#define LARGE_WORDS 4096
#define LONG_LIST 10000
#define NO_ARGUMENT (-1) /* always counts as large */
#define NONE (-1)
#define NOT_ASKED (-2) /* nor does anything that it calls */

/* By prefix of the function name. */
static const struct {
	const char *begin;
	enum costly_call chore;
	int argument; /* the measured argument; for a search, the first one */
	bool is_deep; /* also below the newest frames */
} known[] = {
	{ "ets:tab2list/", COSTLY_SEARCH, NO_ARGUMENT },
	{ "ets:do_foldl/", COSTLY_SEARCH, NO_ARGUMENT },
	{ "ets:do_foldr/", COSTLY_SEARCH, NO_ARGUMENT },
	{ "ets:match/2", COSTLY_SEARCH, 0 },
	{ "ets:match_object/2", COSTLY_SEARCH, 0 },
	{ "ets:select/2", COSTLY_SEARCH, 0 },
	{ "ets:select_reverse/2", COSTLY_SEARCH, 0 },
	{ "ets:select_count/2", COSTLY_SEARCH, 0 },
	{ "ets:select_replace/2", COSTLY_SEARCH, 0 },
	{ "ets:internal_select_delete/2", COSTLY_SEARCH, 0 },
	{ "erlang:process_info/", COSTLY_INSPECT, NO_ARGUMENT },
	{ "erlang:processes/0", COSTLY_INSPECT, NO_ARGUMENT },
	{ "erlang:port_info/", COSTLY_INSPECT, NO_ARGUMENT },
	{ "erlang:ports/0", COSTLY_INSPECT, NO_ARGUMENT },
	{ "erlang:memory/", COSTLY_INSPECT, NO_ARGUMENT },
	{ "erlang:system_info/", COSTLY_INSPECT, NO_ARGUMENT },
	{ "ets:info/", COSTLY_INSPECT, NO_ARGUMENT },
	{ "ets:all/0", COSTLY_INSPECT, NO_ARGUMENT },
	{ "ets:lookup/2", COSTLY_LOOKUP, NO_ARGUMENT },
	{ "ets:lookup_element/", COSTLY_LOOKUP, NO_ARGUMENT },
	{ "ets:insert/2", COSTLY_INSERT, NO_ARGUMENT },
	{ "erlang:term_to_binary/", COSTLY_TERM, 0 },
	{ "erlang:term_to_iovec/", COSTLY_TERM, 0 },
	{ "erlang:external_size/", COSTLY_TERM, 0 },
	{ "erlang:phash2/", COSTLY_TERM, 0 },
	{ "erlang:send/", COSTLY_COPY, 1 },
	{ "erlang:spawn/3", COSTLY_SPAWN, 2 },
	{ "erlang:spawn_link/3", COSTLY_SPAWN, 2 },
	{ "erlang:spawn_opt/4", COSTLY_SPAWN, 2 },
	{ "erlang:'++'/2", COSTLY_LIST, 0 },
	{ "erlang:'--'/2", COSTLY_LIST, 0 },
	{ "erlang:length/1", COSTLY_LIST, 0 },
	{ "lists:member/2", COSTLY_LIST, 1 },
	{ "lists:keyfind/3", COSTLY_LIST, 2 },
	{ "lists:keymember/3", COSTLY_LIST, 2 },
	{ "lists:keysearch/3", COSTLY_LIST, 2 },
	{ "lists:reverse/", COSTLY_LIST, 0 },
	{ "maps:keys/1", COSTLY_LIST, 0 },
	{ "maps:values/1", COSTLY_LIST, 0 },
	{ "logger:", COSTLY_LOG, NO_ARGUMENT, true },
	{ "logger_", COSTLY_LOG, NO_ARGUMENT, true },
	{ "Elixir.Logger", COSTLY_LOG, NO_ARGUMENT, true },
	{ "lager:", COSTLY_LOG, NO_ARGUMENT, true },
	{ "lager_", COSTLY_LOG, NO_ARGUMENT, true },
	{ "standard_error:", COSTLY_LOG, NO_ARGUMENT, true },
	{ "user:server_loop/", COSTLY_LOG, NO_ARGUMENT, true },
	{ "user:do_io_request/", COSTLY_LOG, NO_ARGUMENT, true },
	{ "group:", COSTLY_LOG, NO_ARGUMENT, true },
	{ "user_drv:", COSTLY_LOG, NO_ARGUMENT, true },
};

#define KNOWN (sizeof(known) / sizeof(*known))

_Static_assert(KNOWN < COSTLY_NAMES && COSTLY_KNOWN == 1 << (64 - 54), "all names fit, and all places are used");

/* The purger of the VM works for another process: purges.c. */
static bool is_of_vm(const char *name)
{
	return !strncmp(name, "erts_code_purger:", 17) || !strncmp(name, "erts_literal_area_collector:", 28);
}

static int find_known(struct processes *processes, uint64_t function)
{
	char text[SIGN_NAME];
	size_t i = 0;

	sign_function(processes, function, text);
	while (i < KNOWN && strncmp(text, known[i].begin, strlen(known[i].begin)) != 0)
		i++;
	return i < KNOWN ? (int)i : is_of_vm(text) ? NOT_ASKED : NONE;
}

/* Names are compared once per function, unless functions share a slot. */
static int known_of(struct costly_calls *chores, struct processes *processes, uint64_t function)
{
	struct costly_function *known_here = &chores->known[function * 0x9e3779b97f4a7c15ULL >> 54];

	if (known_here->function != function)
		*known_here = (struct costly_function){ .function = function, .at = find_known(processes, function) };
	return known_here->at;
}

/* Counts the table or receiver. */
static void count_subject(struct costly_subject subjects[COSTLY_SUBJECTS], uint64_t id)
{
	size_t i = 0;

	while (i < COSTLY_SUBJECTS && subjects[i].id && subjects[i].id != id)
		i++;
	if (!id || i == COSTLY_SUBJECTS)
		return;
	subjects[i].id = id;
	subjects[i].hits++;
}

/* A search that yielded continues with a tuple whose first element is the table: it has scanned many objects. */
static bool is_continued(const struct target *target, uint64_t *term)
{
	uint64_t words[2];

	if (TERM_TAG(*term) != TERM_TAG_BOXED ||
	    procfs_memory(target->pid, TERM_ADDRESS(*term), words, sizeof(words)) ||
	    TERM_TAG(words[0]) != TERM_TAG_HEADER || TERM_HEADER_SUBTAG(words[0]) != TERM_TUPLE)
		return false;
	*term = words[1];
	return true;
}

static bool is_large(const struct target *target, enum costly_call chore, uint64_t *term)
{
	switch (chore) {
	case COSTLY_SEARCH: return is_continued(target, term);
	case COSTLY_COPY:
	case COSTLY_TERM:
	case COSTLY_SPAWN: return term_words(target, *term, LARGE_WORDS) == LARGE_WORDS;
	default: return term_elements(target, *term, LONG_LIST) == LONG_LIST;
	}
}

static void count(struct costly_calls *chores, struct processes *processes, size_t k, uint64_t *terms)
{
	const struct target *target = processes_target(processes);
	enum costly_call chore = known[k].chore;
	bool is = known[k].argument == NO_ARGUMENT;

	chores->of[chore].hits++;
	if (chores->of[chore].measured == MOST_OF && chore != COSTLY_SEARCH)
		return;
	chores->of[chore].measured++;
	is = is || is_large(target, chore, &terms[known[k].argument]);
	chores->of[chore].large += is;
	if (chore == COSTLY_SEARCH)
		count_subject(chores->tables, table_name(target, terms[0]));
	else if (chore == COSTLY_LOOKUP)
		count_subject(chores->looked_up, table_name(target, terms[0]));
	else if (chore == COSTLY_INSERT)
		count_subject(chores->inserted, table_name(target, terms[0]));
	else if (chore == COSTLY_COPY && is)
		count_subject(chores->receivers, processes_id_of_term(processes, terms[0]));
}

/* The newest one, unless the VM itself calls it. */
static int find_costly(struct costly_calls *chores, struct processes *processes, const struct call_stack *frames)
{
	int found = NONE;

	for (size_t n = 0; n < frames->count; n++) {
		int at = known_of(chores, processes, frames->functions[n]);

		if (at == NOT_ASKED && n < COSTLY_DEPTH)
			return NONE;
		if (found == NONE && at >= 0 && (n < COSTLY_DEPTH || known[at].is_deep))
			found = at;
	}
	return found;
}

enum costly_call costly_calls_look(struct costly_calls *chores, struct processes *processes,
				   const struct call_stack *frames, const uint64_t arguments[SCHEDULER_ARGUMENTS])
{
	uint64_t terms[SCHEDULER_ARGUMENTS];
	int found;

	chores->looks++;
	found = find_costly(chores, processes, frames);
	if (found < 0)
		return COSTLY_CALLS;
	memcpy(terms, arguments, sizeof(terms));
	count(chores, processes, (size_t)found, terms);
	return known[found].chore;
}

double costly_calls_share(const struct costly_calls *chores, enum costly_call chore)
{
	double share = chores->looks ? (double)chores->of[chore].hits / (double)chores->looks : 0;

	return chores->of[chore].measured ? share * (double)chores->of[chore].large / (double)chores->of[chore].measured
					  : share;
}

size_t costly_calls_names(enum costly_call chore, const char *begins[COSTLY_NAMES])
{
	size_t n = 0, depth = COSTLY_DEPTH;

	for (size_t i = 0; i < KNOWN; i++) {
		if (known[i].chore != chore)
			continue;
		begins[n++] = known[i].begin;
		depth = known[i].is_deep ? CALL_STACK_MAX : depth;
	}
	begins[n] = NULL;
	return depth;
}

uint64_t costly_calls_subject(const struct costly_subject subjects[COSTLY_SUBJECTS])
{
	size_t most = 0;

	for (size_t i = 1; i < COSTLY_SUBJECTS; i++)
		most = subjects[i].hits > subjects[most].hits ? i : most;
	return subjects[most].id;
}
