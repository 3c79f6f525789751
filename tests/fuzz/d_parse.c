// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a D program. Beside not to crash: what is refused has a reason, and every type has a spelling. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "d/syntax/parse.h"
#include "fuzz.h"

#define ARGS 4

static void check_declarations(struct type_table *types, const struct program *program)
{
	for (const struct declaration *declaration = program->declarations; declaration;
	     declaration = declaration->next) {
		must(declaration->name && declaration->type, "a declaration has a name and a type");
		must(*type_text(types, declaration->type), "a type has a spelling");
		must(type_same(declaration->type, declaration->type), "a type is itself");
	}
}

static void check_clauses(const struct program *program)
{
	for (const struct clause *clause = program->clauses; clause; clause = clause->next) {
		must(clause->specs, "a clause has a description");
		must(!clause->next || clause->next->id == clause->id + 1, "clauses are counted");
		for (const struct statement *statement = clause->body; statement; statement = statement->next)
			must(statement->kind == STATEMENT_BLOCK || statement->expression,
			     "a statement has an expression");
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	char script[] = "script", number[] = "-17", word[] = "word", text[] = "a \"text\"";
	char *argv[ARGS] = { script, number, word, text };
	struct macros macros = { .argc = ARGS, .argv = argv, .target = 1 };
	struct arena *arena = arena_new();
	struct type_table *types = type_table_new(arena, 256);
	struct diag diag = { .arena = arena };
	struct program program = { 0 };
	struct parse_input input = {
		.text = arena_strndup(arena, (const char *)data, size),
		.size = size,
		.macros = &macros,
		.fields = size ? data[size - 1] % 5 : 0,
	};
	bool is_ok = parse(arena, types, &diag, &input, &program);

	must(is_ok == !diag.errors, "what is refused has a reason");
	check_clauses(&program);
	check_declarations(types, &program);
	arena_free(arena);
}
