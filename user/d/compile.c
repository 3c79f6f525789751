// SPDX-License-Identifier: BSD-2-Clause
#include "d/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "d.h"
#include "d/check/check.h"
#include "d/types/kernel_symbols.h"
#include "d/types/kernel_types.h"
#include "d/syntax/prelude.h"
#include "d/types/type.h"

/* Defaults are those of DTrace. */
static const struct unit_options defaults = {
	.strsize = 256,
	.scratch_size = 256,
	.frames = 20,
	.ustack_frames = D_STACK_FRAMES,
	.speculations = 1,
	.entries = 4096,
};

/* Declarations at the end of one program precede the first clause of the next. */
static void join_declarations(struct declaration *declarations, struct clause *clause)
{
	for (struct declaration *declaration = declarations; declaration; declaration = declaration->next)
		if (!declaration->before)
			declaration->before = clause;
}

/* Clause numbers are unique over all programs. */
static void number_clauses(struct unit *unit, struct clause *first)
{
	for (struct clause *clause = first; clause; clause = clause->next)
		clause->id = unit->next_clause++;
}

static struct declaration *last_declaration(struct unit *unit)
{
	struct declaration *last = unit->program.declarations;

	while (last && last->next)
		last = last->next;
	return last;
}

bool unit_add(struct unit *unit, const struct parse_input *input)
{
	struct clause **end = &unit->program.clauses;
	struct declaration *last = last_declaration(unit), *rest;
	struct parse_input with_functions = *input;
	bool ok;

	with_functions.functions = unit->functions;
	with_functions.kernel = unit->kernel;
	while (*end)
		end = &(*end)->next;
	ok = parse(unit->arena, unit->types, &unit->diag, &with_functions, &unit->program);
	if (last) {
		rest = last->next;
		last->next = NULL;
		join_declarations(unit->program.declarations, *end);
		last->next = rest;
	}
	number_clauses(unit, *end);
	return ok;
}

bool unit_add_helper(struct unit *unit, const char *text)
{
	struct macros macros = {};
	struct parse_input input = {
		.text = text,
		.size = strlen(text),
		.macros = &macros,
	};
	struct clause **end = &unit->program.clauses;

	while (*end)
		end = &(*end)->next;
	return unit_add(unit, &input) && check_helper(unit, *end);
}

/* The D definitions of the language come before any program. */
static void add_prelude(struct unit *unit)
{
	const struct parse_input chips = prelude_chips(unit->arena), input = prelude_input();

	unit_add(unit, &chips);
	unit_add(unit, &input);
	prelude_mark(&unit->program);
}

struct unit *unit_new(const struct unit_options *options)
{
	struct unit *unit = calloc(1, sizeof(*unit));

	if (!unit)
		return NULL;
	unit->options = options ? *options : defaults;
	unit->arena = arena_new();
	if (!unit->arena) {
		free(unit);
		errno = ENOMEM;
		return NULL;
	}
	unit->diag.arena = unit->arena;
	unit->types = type_table_new(unit->arena, unit->options.strsize);
	unit->kernel = kernel_types_new(unit->arena, unit->types);
	unit->next_clause = 1;
	unit->functions = &d_functions;
	add_prelude(unit);
	return unit;
}

void unit_free(struct unit *unit)
{
	if (!unit)
		return;
	kernel_symbols_free(unit->kernel_symbols);
	arena_free(unit->arena);
	free(unit);
}

bool unit_check(struct unit *unit)
{
	if (!type_set_strsize(unit->types, unit->options.strsize)) {
		diag_error(
			&unit->diag, NULL, 0, "D_PRAGMA_OPTSET",
			"option \"strsize\": it is set after structs or arrays that hold strings; set it before them");
		return false;
	}
	unit->is_checked = check(unit);
	return unit->is_checked;
}
