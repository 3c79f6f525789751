// SPDX-License-Identifier: BSD-2-Clause
#include "match/match.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "match/graph/anchors.h"
#include "match/graph/binary.h"
#include "match/facts.h"
#include "match/pairing.h"
#include "match/reference.h"
#include "match/graph/registers.h"
#include "match/graph/scan.h"
#include "match/votes.h"

#define AGREEING 2 /* references that must agree */

/*
 * Measured: anchors of two builds by one compiler are alike by 0.84 to 0.97, by gcc and clang by 0.71 to 0.77. With
 * link-time optimization it is at most 0.66, because functions are merged or copied with other arguments; one of ten
 * required functions was wrong then.
 */
#define LEAST_SIMILARITY 0.7f

struct matching {
	struct binary binary;
	struct anchors_tables tables;
	struct graph graph;
	struct reference_set set;
	struct pairing pairings[REFERENCES_MAX];
	struct facts facts;
	struct effort effort;
	bool is_too_different; /* only anchors are reliable */
};

/* The name that a reference has for a function of the VM, or NULL. */
static const char *name_by(const struct matching *m, size_t reference, uint32_t function, bool *is_sure,
			   bool *is_static)
{
	const struct pairing *pairing = &m->pairings[reference];
	const struct reference *r = &m->set.all[reference];
	uint32_t partner = pairing->reverse[function];

	if (partner == PAIRING_NONE || !r->names[partner].text ||
	    !registers_fit(r->graph.registers[partner], m->graph.registers[function]))
		return NULL;
	*is_sure |= pairing->is_anchor[partner];
	*is_static |= r->names[partner].is_static;
	return r->names[partner].text;
}

/* The name that enough references agree on, or NULL. */
static const char *agreed_name(const struct matching *m, uint32_t function, bool *is_static)
{
	const char *found = NULL;
	size_t agreeing = 0;
	bool is_sure = false;

	for (size_t i = 0; i < m->set.count; i++) {
		const char *name = name_by(m, i, function, &is_sure, is_static);

		/* A set stores each name once, so pointers can be compared. */
		if (name && found && name != found)
			return NULL;
		agreeing += name != NULL;
		found = name ? name : found;
	}
	return (agreeing >= AGREEING && !m->is_too_different) || (agreeing && is_sure) ? found : NULL;
}

static int add(struct match *match, const struct match_symbol *symbol)
{
	if (!array_has_room(match->symbols, match->count))
		return -ENOMEM;
	match->symbols[match->count++] = *symbol;
	return 0;
}

static int add_functions(const struct matching *m, struct match *match)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < m->graph.count; i++) {
		struct match_symbol symbol = {
			.address = m->binary.functions[i].start,
			.size = m->binary.functions[i].size,
			.is_function = true,
		};

		symbol.name = agreed_name(m, i, &symbol.is_static);
		if (symbol.name)
			err = add(match, &symbol);
	}
	return err;
}

/* References may give one name to two functions; then it is dropped. */
static int compare_names(const void *a, const void *b)
{
	const struct match_symbol *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

static void drop_contradictions(struct match *match)
{
	struct match_symbol *all = match->symbols;
	size_t kept = 0;

	if (match->count)
		qsort(all, match->count, sizeof(*all), compare_names);
	for (size_t i = 0; i < match->count;) {
		size_t end = i + 1;

		while (end < match->count && all[end].name == all[i].name)
			end++;
		if (end == i + 1)
			all[kept++] = all[i];
		i = end;
	}
	match->count = kept;
}

static bool has_symbol_at(const struct match *match, size_t count, uint32_t address)
{
	for (size_t i = 0; i < count; i++) {
		if (match->symbols[i].address == address)
			return true;
	}
	return false;
}

static int add_bif(const struct matching *m, uint32_t address, const char *mfa, struct match *match)
{
	int64_t function = binary_function_at(&m->binary, address);
	char *name = function < 0 ? NULL : strdup(mfa);

	if (!name)
		return function < 0 ? 0 : -ENOMEM;
	if (!array_has_room(match->own_names, match->own_count)) {
		free(name);
		return -ENOMEM;
	}
	match->own_names[match->own_count++] = name;
	return add(match, &(struct match_symbol){ .name = name,
						  .address = address,
						  .size = m->binary.functions[function].size,
						  .is_function = true });
}

/* BIFs are certain, whatever references say. A BIF without a name gets its Erlang name. */
static int add_bifs(const struct matching *m, struct match *match)
{
	size_t named = match->count;
	int err = 0;

	for (uint32_t i = 0; !err && i < m->tables.bifs.count; i++) {
		struct anchors_bif bif;

		if (anchors_read_bif(&m->binary, &m->tables, i, &bif) && !has_symbol_at(match, named, bif.works))
			err = add_bif(m, bif.works, bif.mfa, match);
	}
	return err;
}

static int add_objects(struct matching *m, struct match *match)
{
	struct votes votes = {};
	int err = 0;

	for (size_t i = 0; !err && i < m->set.count; i++)
		err = votes_count(&m->set.all[i], &m->binary, &m->graph, &m->pairings[i], &votes);
	if (!err)
		votes_decide(&votes, AGREEING);
	for (size_t i = 0; !err && i < votes.count; i++) {
		const struct vote *vote = &votes.all[i];

		err = add(match, &(struct match_symbol){ vote->name, vote->address, vote->size, false, false });
	}
	votes_free(&votes);
	return err;
}

/* Adds what the file itself says. */
static int add_facts(struct matching *m, struct match *match)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->facts.count; i++)
		err = add(match, &m->facts.all[i]);
	return err;
}

static int compare(struct matching *m, enum match_result *result)
{
	size_t size;
	const void *table = reference_table(m->facts.release, &size);
	float build_similarity = 0;
	int err = table ? reference_set_read(table, size, &m->set) : 0;

	for (size_t i = 0; !err && i < m->set.count; i++) {
		err = pairing_make(&m->set.all[i].graph, &m->graph, &m->effort, &m->pairings[i]);
		build_similarity = m->pairings[i].build_similarity > build_similarity ? m->pairings[i].build_similarity
										      : build_similarity;
	}
	m->is_too_different = build_similarity < LEAST_SIMILARITY;
	*result = !table ? MATCH_NO_RELEASE : m->is_too_different ? MATCH_TOO_DIFFERENT : MATCH_DONE;
	return err;
}

static int make(struct matching *m, const struct elf_file *file, struct match *match)
{
	int err = binary_open(file, &m->binary);

	if (err)
		return err;
	anchors_tables(&m->binary, &m->tables);
	err = scan(&m->binary, &m->tables, &m->effort, &m->graph);
	if (err)
		return err;
	facts_find(&m->binary, &m->tables, &m->facts);
	err = compare(m, &match->result);
	if (!err)
		err = add_functions(m, match);
	drop_contradictions(match);
	if (!err)
		err = add_bifs(m, match);
	if (!err && !m->is_too_different)
		err = add_objects(m, match);
	return err ? err : add_facts(m, match);
}

int match_make(const struct elf_file *file, struct match *match)
{
	struct matching *m = calloc(1, sizeof(*m));
	int err;

	*match = (struct match){ .result = MATCH_NO_FRAMES };
	if (!m)
		return -ENOMEM;
	m->effort.left = EFFORT_MOST;
	err = make(m, file, match);
	binary_close(&m->binary);
	graph_free(&m->graph);
	for (size_t i = 0; i < m->set.count; i++)
		pairing_free(&m->pairings[i]);
	/* The names of the symbols. */
	match->owned = m->set.names;
	m->set.names = NULL;
	reference_set_free(&m->set);
	free(m);
	if (err) {
		match->result = MATCH_NO_FRAMES;
		match->count = 0;
	}
	return err == -ENOMEM ? err : 0;
}

void match_free(struct match *match)
{
	for (size_t i = 0; i < match->own_count; i++)
		free(match->own_names[i]);
	free(match->own_names);
	free(match->symbols);
	free(match->owned);
	*match = (struct match){};
}

const char *match_why(enum match_result result)
{
	static const char *const words[MATCH_RESULTS] = {
		[MATCH_DONE] = "comparison with known builds did not identify it",
		[MATCH_TOO_DIFFERENT] =
			"this build differs too much from all known builds (as with link-time optimization)",
		[MATCH_NO_RELEASE] = "no build of its release is known",
		[MATCH_INLINED] = "this build inlines calls (link-time optimization), so a probe would miss some",
		[MATCH_NO_FRAMES] = "its file cannot be compared with known builds",
	};

	return result < MATCH_RESULTS ? words[result] : NULL;
}

#define ALGORITHM 2 /* increase it when the same table gives other results */

uint32_t match_version(void)
{
	static uint32_t version;
	size_t size = 0;
	const void *table = version ? NULL : reference_table(INT_MAX, &size);

	if (table)
		version = (uint32_t)crc32(ALGORITHM, table, (uInt)size);
	return version;
}
