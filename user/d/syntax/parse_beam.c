// SPDX-License-Identifier: BSD-2-Clause
/*
 * beam*:shop:order/2:entry { ... } becomes a clause of the probe that fires for all functions with a breakpoint. Each
 * description has a number. The kernel has one bit per description that matches the function; a condition before the
 * predicate tests the bits of the clause. For other probes, all bits are set. A clause with old names has the arguments
 * of the old probes.
 */

#include <string.h>

#include "base/arena.h"
#include "d/lang/beam_spec.h"
#include "d/syntax/parse_internal.h"

static struct node *node_at(struct parser *parser, const struct clause *clause, enum node_kind kind)
{
	struct node *node = arena_alloc(parser->arena, sizeof(*node));

	*node = (struct node){ .kind = kind, .file = clause->file, .line = clause->line, .is_prelude = true };
	return node;
}

/* BEAM_MATCHES & bits */
static struct node *condition_of(struct parser *parser, const struct clause *clause, uint64_t bits)
{
	struct node *node = node_at(parser, clause, NODE_BINARY);

	node->op = OP_AND;
	node->a = node_at(parser, clause, NODE_IDENT);
	node->a->name = BEAM_MATCHES;
	node->b = node_at(parser, clause, NODE_INT);
	node->b->type = node->b->named = type_int(parser->types, 8, false);
	node->b->value = bits;
	return node;
}

/* False: too many, reported. */
static bool number(struct parser *parser, struct probe_spec *spec)
{
	if (parser->program->beam_count == BEAM_SPECS_MOST) {
		diag_error(parser->diag, spec->file, spec->line, "D_PDESC_INVAL",
			   "probe description %s: at most %d descriptions of Erlang functions are possible", spec->text,
			   BEAM_SPECS_MOST);
		return false;
	}
	spec->beam = ++parser->program->beam_count;
	return true;
}

/* -x functions */
static void take_functions(struct parser *parser, struct clause *clause)
{
	const char *called = parser->input->called;
	size_t module = called ? strcspn(called, ":") : 0;

	for (struct probe_spec *spec = clause->specs; called && spec; spec = spec->next) {
		if (!beam_spec_lacks_functions(spec))
			continue;
		spec->module = arena_strndup(parser->arena, called, module);
		spec->function = called[module] ? called + module + 1 : "*";
	}
}

/* Process, function and depth from the entry and end of calls; old probes had no other arguments. */
static void rename_old_args(struct parser *parser, struct clause *clause)
{
	static const struct {
		const char *old, *now;
	} args[] = { { "arg3", "0" }, { "arg0", "arg8" }, { "arg1", "arg9" }, { "arg2", "arg3" } };

	for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++)
		parse_rename(parser, clause, args[i].old, args[i].now);
}

/* False: mixed with other descriptions, reported. */
static bool are_all_old(struct parser *parser, const struct clause *clause)
{
	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		if (beam_spec_is_old(spec))
			continue;
		diag_error(parser->diag, spec->file, spec->line, "D_PDESC_INVAL",
			   "probe description %s: function-entry and function-return of Erlang functions need a "
			   "separate clause, because their arguments differ",
			   spec->text);
		return false;
	}
	return true;
}

static bool has_old(const struct clause *clause)
{
	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		if (beam_spec_is_old(spec))
			return true;
	}
	return false;
}

void parse_beam_names(struct parser *parser, struct clause *clause)
{
	uint64_t bits = 0;

	take_functions(parser, clause);
	if (has_old(clause) && are_all_old(parser, clause))
		rename_old_args(parser, clause);
	for (struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		if (beam_spec_probes(spec) && number(parser, spec))
			bits |= 1ULL << (spec->beam - 1);
	}
	if (bits)
		parse_require(parser, clause, condition_of(parser, clause, bits));
}
