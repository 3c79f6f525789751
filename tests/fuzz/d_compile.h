/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text through the whole compiler, for the fuzzers d.c and d_grammar.c: parsed, checked, built for each hook.
 * Beside not to crash: what is refused has a message with a tag, what is taken is an ELF file.
 */
#ifndef ERLBPF_FUZZ_D_COMPILE_H
#define ERLBPF_FUZZ_D_COMPILE_H

#include "d/build.h"
#include "d/lang/unit.h"
#include "d/compile.h"
#include "fuzz.h"

#define MOST_CLAUSES 64

static void check_messages(const struct unit *unit, bool is_taken)
{
	must(is_taken == !unit->diag.errors, "there is an error if and only if it is refused");
	for (const struct d_message *message = unit->diag.first; message; message = message->next) {
		must(message->text && *message->text, "a message has a text");
		must(message->is_warning || (message->tag && !strncmp(message->tag, "D_", 2)), "an error has a tag");
		must(message->line >= 0, "a line is not negative");
	}
}

static void check_object(struct unit *unit, const struct d_program *programs, size_t count)
{
	struct d_object object = {};
	bool is_built = d_build(unit, programs, count, &object);

	must(is_built == !unit->diag.errors, "there is a reason if and only if nothing is built");
	must(!is_built || (object.size > 64 && !memcmp(object.elf, "\177ELF", 4)), "an object is an ELF file");
}

/* All clauses in one program, as if every description matched the same probe; and each in one of its own. */
static void build_for(struct unit *unit, enum d_hook hook)
{
	struct unit_clause *clauses[MOST_CLAUSES];
	struct d_program programs[MOST_CLAUSES + 1];
	char names[MOST_CLAUSES + 1][16];
	size_t count = 0;

	for (struct unit_clause *clause = unit->clauses; clause && count < MOST_CLAUSES; clause = clause->next)
		clauses[count++] = clause;
	for (size_t i = 0; i <= count; i++) {
		bool is_all = i == count;

		snprintf(names[i], sizeof(names[i]), "d_%zu", i);
		programs[i] = (struct d_program){
			.hook = hook,
			.name = names[i],
			.section = "d/FUZZ",
			.clauses = is_all ? clauses : &clauses[i],
			.clause_count = is_all ? count : 1,
		};
	}
	if (count)
		check_object(unit, programs, count + 1);
}

/* Two words stand for $1 and $2. */
static struct unit *compile_text(const char *text, size_t size)
{
	static const struct unit_options options = {
		.strsize = 256,
		.scratch_size = 256,
		.frames = 20,
		.speculations = 1,
		.entries = 1024,
		.is_destructive = true,
	};
	char script[] = "x.d", number[] = "42", word[] = "word";
	char *words[] = { script, number, word };
	bool used[3] = {};
	struct macros macros = { .argc = 3, .argv = words, .used = used, .target = 1 };
	struct parse_input input = { .text = text, .size = size, .macros = &macros };
	struct unit *unit = unit_new(&options);
	bool is_taken;

	must(unit, "there is memory");
	is_taken = unit_add(unit, &input) && unit_check(unit);
	check_messages(unit, is_taken);
	if (is_taken)
		return unit;
	unit_free(unit);
	return NULL;
}

/* For one hook, which depends on the text: what differs between them is little, and building takes the most time. */
static void compile_and_build(const char *text, size_t size)
{
	struct unit *unit = compile_text(text, size);

	if (!unit)
		return;
	build_for(unit, (enum d_hook)(size % HOOKS));
	unit_free(unit);
}

#endif
