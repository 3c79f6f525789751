// SPDX-License-Identifier: BSD-2-Clause
/*
 * From the programs of a command line to a checked unit: scripts are read, descriptions completed, the
 * preprocessor run, options in the programs applied. What is wrong is printed as dtrace(1) prints it.
 *
 * All programs become one unit, and a message knows a file and a line. So each of several programs begins with a
 * line that names a file which cannot exist; it says which program a message is about.
 */
#include "cli/dtrace/dtrace_command.h"
#include "d/compile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/arena.h"
#include "d/lang/ast.h"
#include "d/syntax/preprocess.h"
#include "dtrace/provider/probes.h"
#include "dtrace/provider/providers.h"
#include "dtrace/options/script.h"

static const char mark[] = "\x01program ";

/* --- Messages ------------------------------------------------------------------------------------------- */

/* Which program a message is about, and the file to name, NULL if it is the program itself. */
static const struct dtrace_program *program_of(const struct dtrace_command *command, const char *file,
					       const char **named)
{
	size_t i = 0;

	*named = file;
	if (file && !strncmp(file, mark, sizeof(mark) - 1)) {
		i = strtoul(file + sizeof(mark) - 1, NULL, 10);
		*named = NULL;
	}
	return i < command->program_count ? &command->programs[i] : NULL;
}

static const char *prefix_of(const struct dtrace_program *program)
{
	return program->by == DTRACE_BY_SCRIPT ? "failed to compile script" : "invalid probe specifier";
}

static void print_message(const struct dtrace_command *command, const struct d_message *message, FILE *to)
{
	const char *named;
	const struct dtrace_program *program = program_of(command, message->file, &named);
	bool is_script = program && program->by == DTRACE_BY_SCRIPT;
	_cleanup_free_ char *text = text_for_terminal(message->text);
	_cleanup_free_ char *safe = named ? text_for_terminal(named) : NULL;

	fprintf(to, "%s: ", command->called);
	if (message->is_warning)
		fputs("warning: ", to);
	else if (program)
		fprintf(to, "%s %s: ", prefix_of(program), program->word);
	if (command->options.error_tags && message->tag)
		fprintf(to, "[%s] ", message->tag);
	if (safe)
		fprintf(to, "\"%s\", ", safe);
	/* There are no lines to count in what stands on one. */
	if (message->line > 0 && (is_script || named || (program && strchr(program->word, '\n'))))
		fprintf(to, "line %d: ", message->line);
	fprintf(to, "%s\n", text ? text : "out of memory");
}

void dtrace_print_messages(const struct dtrace_command *command, struct unit *unit, FILE *to)
{
	for (const struct d_message *message = unit->diag.first; message; message = message->next)
		print_message(command, message, to);
	unit->diag.first = unit->diag.last = NULL;
}

/* --- Text ------------------------------------------------------------------------------------------------ */

struct found {
	unsigned int id;
	char *description;
};

static void find_id(void *data, const struct d_probe *probe)
{
	struct found *found = data;
	const struct probe_names *names = &probe->names;

	if (names->id == found->id && !found->description &&
	    asprintf(&found->description, "%s:%s:%s:%s", names->provider, names->module, names->function, names->name) <
		    0)
		found->description = NULL;
}

/* -i: the id becomes the names that it stands for. NULL if no probe has it. */
static char *expand_id(struct probes *probes, const char *word)
{
	struct found found = { .id = 0 };
	char *text = NULL;
	const char *rest;

	found.id = dtrace_id(word, &rest);
	if (!found.id || probes_list(probes, find_id, &found) < 0 || !found.description)
		return NULL;
	if (asprintf(&text, "%s%s", found.description, rest) < 0)
		text = NULL;
	free(found.description);
	return text;
}

/* --- Programs -------------------------------------------------------------------------------------------- */

struct compilation {
	struct dtrace_command *command;
	struct unit *unit;
	struct probes *probes;
	pid_t target;
	bool *used; /* arguments, by any program */
};

__attribute__((format(printf, 2, 3))) static void fail(const struct compilation *c, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", c->command->called);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}

/* Both: the text of a program, to be freed. NULL, and why is printed. */
static char *text_of_script(const struct compilation *c, const char *path)
{
	size_t size;
	char *text = script_read(path, &size);

	if (!text) {
		fail(c, "failed to open %s: %s", path, strerror(errno));
		return NULL;
	}
	if (strlen(text) != size) {
		fail(c, "failed to compile script %s: it has a NUL character in it", path);
		free(text);
		return NULL;
	}
	script_blank_first_line(text);
	return text;
}

/* To be listed, a probe need not be there. */
static char *text_of_id(const struct compilation *c, const char *word)
{
	char *text = expand_id(c->probes, word);
	const char *rest;

	return text || c->command->mode != DTRACE_LIST || !dtrace_id(word, &rest) ? text : strdup(word);
}

static char *text_of(const struct compilation *c, const struct dtrace_program *program)
{
	bool is_id = program->by == DTRACE_BY_ID;
	char *text;

	if (program->by == DTRACE_BY_SCRIPT)
		return text_of_script(c, program->word);
	if (dtrace_is_overspecified(program->by, program->word)) {
		fail(c, "overspecified probe description: %s has more parts than the option names", program->name);
		return NULL;
	}
	text = is_id ? text_of_id(c, program->word) : dtrace_expand(program->by, program->word);
	if (!text)
		fail(c, "invalid probe specifier %s: %s", program->word,
		     is_id ? "no probe has that id; -l shows them" : "out of memory");
	return text;
}

/* -C; frees `text`. NULL, and why is printed. */
static char *preprocessed(const struct compilation *c, const struct dtrace_program *program, char *text)
{
	const struct d_options *options = &c->command->options;
	const struct preprocess how = {
		.program = options->cpp_path,
		.args = options->cpp_args.words,
		.arg_count = options->cpp_args.count,
		.is_traditional = options->standard == D_STANDARD_S,
	};
	size_t size;
	char *output;
	int err = preprocess(&how, text, strlen(text), &output, &size);

	free(text);
	if (!err)
		return output;
	fail(c, "%s %s: the preprocessor failed", prefix_of(program), program->word);
	return NULL;
}

/*
 * With its mark before it, if there are several; the preprocessor calls what it reads from us "<stdin>". Frees
 * `text`. NULL: no memory.
 */
static char *marked(const struct compilation *c, const struct dtrace_program *program, char *text)
{
	static const char standard_input[] = "\"<stdin>\"";
	size_t number = (size_t)(program - c->command->programs), size;
	char *result = NULL, *from = text, *line;
	FILE *to;

	if (c->command->program_count == 1)
		return text;
	to = open_memstream(&result, &size);
	if (!to) {
		free(text);
		return NULL;
	}
	fprintf(to, "# 1 \"%s%zu\"\n", mark, number);
	while ((line = strsep(&from, "\n"))) {
		char *name = line[0] == '#' ? strstr(line, standard_input) : NULL;

		if (name)
			fprintf(to, "%.*s\"%s%zu\"%s", (int)(name - line), line, mark, number,
				name + sizeof(standard_input) - 1);
		else
			fputs(line, to);
		if (from)
			putc('\n', to);
	}
	free(text);
	return fclose(to) ? free(result), NULL : result;
}

static const char *file_of(const struct compilation *c, const struct dtrace_program *program)
{
	if (c->command->program_count == 1)
		return NULL;
	return arena_printf(c->unit->arena, "%s%zu", mark, (size_t)(program - c->command->programs));
}

/* An argument that no program asks for is a mistake of who typed it. */
static bool check_arguments(const struct compilation *c)
{
	const struct dtrace_command *command = c->command;
	size_t before = c->unit->diag.errors;

	for (int i = 1; i < command->argc && !command->options.unused_args_ok && command->program_count; i++) {
		if (!c->used[i])
			diag_error(&c->unit->diag, file_of(c, &command->programs[0]), 0, "D_MACRO_UNUSED",
				   "extraneous argument '%s' ($%d is not used)", command->argv[i], i);
	}
	return c->unit->diag.errors == before;
}

static unsigned int last_clause(const struct unit *unit)
{
	unsigned int last = 0;

	for (const struct clause *clause = unit->program.clauses; clause; clause = clause->next)
		last = clause->id;
	return last;
}

static bool parse_program(const struct compilation *c, struct dtrace_program *program, const char *text)
{
	struct dtrace_command *command = c->command;
	_cleanup_free_ char **argv = calloc((size_t)command->argc + 1, sizeof(*argv));
	struct macros macros = {
		.argc = command->argc,
		.argv = argv,
		.used = c->used,
		.target = c->target,
		.default_args = command->options.default_args,
	};
	struct parse_input input = {
		.text = text,
		.size = strlen(text),
		.macros = &macros,
		.called = command->options.functions,
		.empty_ok = command->options.is_empty_ok,
		.is_file = program->by == DTRACE_BY_SCRIPT,
	};
	bool is_ok;

	if (!argv) {
		fail(c, "out of memory");
		return false;
	}
	memcpy(argv, command->argv, (size_t)command->argc * sizeof(*argv));
	if (program->by == DTRACE_BY_SCRIPT)
		argv[0] = (char *)(uintptr_t)program->word;
	program->first = last_clause(c->unit) + 1;
	is_ok = unit_add(c->unit, &input);
	program->last = last_clause(c->unit);
	return is_ok;
}

static bool add_program(const struct compilation *c, struct dtrace_program *program)
{
	_cleanup_free_ char *text = text_of(c, program);

	if (!text)
		return false;
	script_early_options(&c->command->options, text);
	c->command->names_target |= strstr(text, "$target") != NULL;
	if (c->command->options.cpp && !(text = preprocessed(c, program, text)))
		return false;
	text = marked(c, program, text);
	if (!text) {
		fail(c, "out of memory");
		return false;
	}
	return parse_program(c, program, text);
}

/* The passes are DTrace's: bit 0 is what was read, bit 1 what was checked. */
static void show_tree(const struct compilation *c, unsigned int pass)
{
	if (!(c->command->options.tree & 1u << (pass - 1)))
		return;
	fprintf(stderr, "Parse tree (Pass %u):\n", pass);
	tree_print(stderr, c->unit->types, c->unit->program.clauses);
}

static bool compile(const struct compilation *c)
{
	struct dtrace_command *command = c->command;
	bool is_ok = dtrace_add_libraries(command, c->unit);

	if (!is_ok)
		return false;
	for (size_t i = 0; i < command->program_count; i++)
		is_ok &= add_program(c, &command->programs[i]);
	/* After an error, what follows it was not looked at: it may use them. */
	is_ok = is_ok && check_arguments(c);
	/* Before anything is printed, and whatever is wrong: errtags may be among them. */
	is_ok &= d_options_pragmas(&command->options, c->unit);
	if (is_ok)
		show_tree(c, 1);
	is_ok = is_ok && unit_check(c->unit);
	if (is_ok)
		show_tree(c, 2);
	return is_ok;
}

bool dtrace_compile(struct dtrace_command *command, struct unit *unit, struct probes *probes, pid_t target)
{
	_cleanup_free_ bool *used = calloc((size_t)command->argc + 1, sizeof(*used));
	struct compilation c = {
		.command = command,
		.unit = unit,
		.probes = probes,
		.target = target,
		.used = used,
	};
	bool is_ok = false;

	if (used)
		is_ok = compile(&c);
	else
		fail(&c, "out of memory");
	dtrace_print_messages(command, unit, stderr);
	return is_ok;
}
