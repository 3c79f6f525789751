// SPDX-License-Identifier: BSD-2-Clause
/* The words of dtrace(1)'s command line. Words that are no options are arguments of the program ($1, $2...). */
#include "cli/dtrace/dtrace.h"
#include "cli/dtrace/dtrace_command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "base/cleanup.h"
#include "base/embed.h"
#include "cli/options/option_text.h"
#include "cli/options/common_options.h"

/* Name before messages: the last part of a path. */
static const char *called_by(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	return slash ? slash + 1 : argv0 && *argv0 ? argv0 : "erlbpf";
}

/* --- Handlers ---------------------------------------------------------------------------------------------- */

static const char *add_program(struct dtrace_command *command, enum dtrace_by by, const char *word)
{
	struct dtrace_program *program = &command->programs[command->program_count];
	size_t size = by == DTRACE_BY_SCRIPT ? strlen(word) : dtrace_descriptions_size(word);

	*program = (struct dtrace_program){ .by = by, .word = word, .name = strndup(word, size), .first = 1 };
	if (!program->name)
		return option_no_memory;
	command->program_count++;
	return NULL;
}

static const char *take_script(void *data, const char *word)
{
	return add_program(data, DTRACE_BY_SCRIPT, word);
}

static const char *take_name(void *data, const char *word)
{
	return add_program(data, DTRACE_BY_NAME, word);
}

static const char *take_provider(void *data, const char *word)
{
	return add_program(data, DTRACE_BY_PROVIDER, word);
}

static const char *take_module(void *data, const char *word)
{
	return add_program(data, DTRACE_BY_MODULE, word);
}

static const char *take_id(void *data, const char *word)
{
	return add_program(data, DTRACE_BY_ID, word);
}

/* -f is the format of erlbpf's tools: csv must not be looked for as a function. */
static const char *take_function(void *data, const char *word)
{
	struct dtrace_command *command = data;

	if (strcmp(command->called, "dtrace") &&
	    (!strcmp(word, "csv") || !strcmp(word, "json") || !strcmp(word, "text")))
		return "-f names functions here; D programs print text, or JSON lines with -j. Write a function of "
		       "this "
		       "name with a colon before it";
	return add_program(command, DTRACE_BY_FUNCTION, word);
}

/* An option of -x. */
static const char *set(void *data, const char *name, const char *value)
{
	struct dtrace_command *command = data;
	enum d_option_error error = d_option_set(&command->options, D_OPTION_COMMAND, name, value);

	return error == D_OPTION_MEMORY ? option_no_memory : error ? d_option_problem(error) : NULL;
}

static const char *take_x(void *data, const char *word)
{
	const char *equals = strchr(word, '=');
	_cleanup_free_ char *name = equals ? strndup(word, (size_t)(equals - word)) : strdup(word);

	return name ? set(data, name, equals ? equals + 1 : NULL) : option_no_memory;
}

static const char *take_pid(void *data, const char *word)
{
	struct dtrace_command *command = data;
	char *end;
	long pid;

	errno = 0;
	pid = strtol(word, &end, 10);
	if (!isdigit((unsigned char)*word) || *end || errno || pid <= 0 || pid > INT_MAX)
		return "expected a process number";
	command->pids[command->pid_count++] = (pid_t)pid;
	return NULL;
}

static const char *take_command(void *data, const char *word)
{
	struct dtrace_command *command = data;

	if (command->run)
		return "only one command can be given";
	command->run = strdup(word);
	return command->run ? NULL : option_no_memory;
}

static const char *set_mode(struct dtrace_command *command, enum dtrace_mode mode)
{
	if (command->mode != DTRACE_RUN)
		return "only one of -h, -l and -V can be given";
	command->mode = mode;
	return NULL;
}

static const char *take_list(void *data, const char *value)
{
	(void)value;
	return set_mode(data, DTRACE_LIST);
}

static const char *take_version(void *data, const char *value)
{
	(void)value;
	return set_mode(data, DTRACE_VERSION);
}

static const char *take_help(void *data, const char *value)
{
	(void)value;
	return set_mode(data, DTRACE_HELP);
}

static const char *take_64(void *data, const char *value)
{
	(void)data;
	return strcmp(value, "4") ? "there is only -64" : NULL;
}

static const char *refuse_32(void *data, const char *value)
{
	(void)data;
	return strcmp(value, "2") ? "there is only -64"
				  : "programs of 32 bits do not exist: BPF has 64, so sizeof (long) is 8";
}

static const char *refuse_elf(void *data, const char *value)
{
	(void)data;
	(void)value;
	return "no object is needed on Linux: write a header with -h -s FILE.d, include it, and compile with the "
	       "<sys/sdt.h> of systemtap";
}

static const char *take_word(void *data, const char *word)
{
	struct dtrace_command *command = data;

	command->argv[command->argc++] = (char *)word;
	return NULL;
}

/* --- The table --------------------------------------------------------------------------------------------- */

#define TO(member) .to = offsetof(struct dtrace_command, member)

/* An option of -x that has a letter of its own. What it refuses ends with 1, as in dtrace(1). */
#define X(option) .take_as = set, .as = #option, .refused = DTRACE_ERROR

static const struct option_row rows[] = {
	{ NULL, 's', "FILE", .take = take_script, .offer = OFFER_SCRIPTS },
	{ NULL, 'n', "D", .spelled = "-n [[[PROVIDER:]MODULE:]FUNCTION:]NAME [[/PREDICATE/] {ACTION}]",
	  .take = take_name },
	{ NULL, 'P', "D", .spelled = "-P PROVIDER ...", .take = take_provider },
	{ NULL, 'm', "D", .spelled = "-m [PROVIDER:]MODULE ...", .take = take_module },
	{ NULL, 'f', "D", .spelled = "-f [[PROVIDER:]MODULE:]FUNCTION ...", .take = take_function },
	{ NULL, 'i', "D", .spelled = "-i ID ...", .take = take_id },
	{ NULL, 'l', .take = take_list },
	{ NULL, 'e', .kind = OPTION_FLAG, TO(compile_only) },
	{ NULL, 'v', .kind = OPTION_MORE, TO(verbosity) },
	{ NULL, 'S', X(verbose) },
	{ NULL, 'V', .take = take_version },
	{ NULL, 'h', .take = take_help },
	{ NULL, 'p', "PID", .take = take_pid, .refused = DTRACE_ERROR, /* as dtrace(1) */
	  .offer = OFFER_PIDS },
	{ NULL, 'c', "COMMAND", .take = take_command, .offer = OFFER_COMMANDS },
	{ NULL, 'q', X(quiet) },
	{ NULL, 'o', "FILE", .kind = OPTION_TEXT, TO(output), .offer = OFFER_FILES },
	{ NULL, 'j', .kind = OPTION_FLAG, TO(options.consumer.json) },
	{ NULL, 'F', X(flowindent) },
	{ NULL, 'w', X(destructive) },
	{ NULL, 'Z', X(zdefs) },
	{ NULL, 'x', "NAME[=VALUE]", .take = take_x, .refused = DTRACE_ERROR, /* as dtrace(1) */
	  .offer = OFFER_D_OPTIONS },
	{ NULL, 'b', "SIZE", X(bufsize) },
	{ NULL, 'C', X(cpp) },
	{ NULL, 'D', "NAME[=VALUE]", X(define) },
	{ NULL, 'U', "NAME", X(undef) },
	{ NULL, 'I', "DIR", X(incdir), .offer = OFFER_FOLDERS },
	{ NULL, 'H', X(cpphdrs) },
	{ NULL, 'X', "a|c|s|t", X(stdc) },
	{ NULL, 'L', "DIR", X(libdir), .offer = OFFER_FOLDERS },
	{ NULL, '6', "4", .spelled = "-64", .take = take_64 },
	{ NULL, '3', "2", .take = refuse_32 },
	{ NULL, 'G', .take = refuse_elf },
};

EMBED("dtrace_options_text", "user/cli/dtrace/options.txt");
extern const char dtrace_options_text[];
extern const size_t dtrace_options_text_size;

const struct option_table dtrace_options = {
	.own = { rows, sizeof(rows) / sizeof(*rows), dtrace_options_text, &dtrace_options_text_size },
	.common = &common_options,
	.command = COMMAND_DTRACE,
};

/* --- Help -------------------------------------------------------------------------------------------------- */

static void print_option(FILE *to, const struct d_option_help *option)
{
	_cleanup_free_ char *left = NULL;
	size_t size;
	FILE *spelling = open_memstream(&left, &size);

	if (!spelling)
		return;
	d_option_spell(spelling, option);
	fclose(spelling);
	fprintf(to, "  %-24s%s\n", left, option->help);
}

static void print_options(FILE *to)
{
	size_t column = 80;

	fprintf(to, "\nOptions of -x:\n");
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help option = d_option_help(i);

		if (option.has_effect)
			print_option(to, &option);
	}
	fprintf(to, "\nAccepted so that existing scripts run, but without effect:");
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help option = d_option_help(i);

		if (option.has_effect)
			continue;
		if (column + strlen(option.name) > 78)
			column = (size_t)fprintf(to, "\n ") - 1;
		column += (size_t)fprintf(to, " %s", option.name);
	}
	putc('\n', to);
}

void dtrace_usage(FILE *to, const char *called)
{
	int column = fprintf(to, "usage: %s ", called);

	option_print_synopsis(to, &dtrace_options, column);
	fputs(" [-n D] [-P D] [-m D] [-f D] [-i D] [args...]\n\n", to);
	option_print_help(to, &dtrace_options, NULL);
	print_options(to);
}

/* --- The line as a whole ------------------------------------------------------------------------------------ */

static const struct option_row *row_of(char letter)
{
	for (size_t i = 0; i < dtrace_options.own.count; i++) {
		if (rows[i].letter == letter)
			return &rows[i];
	}
	return NULL;
}

static bool is_called_dtrace(int argc, char **argv)
{
	return argc > 0 && !strcmp(called_by(argv[0]), "dtrace");
}

/* Options that have a program, and those that are done instead of running one. */
static const char of_programs[] = "snPmfilehVG";

/* Letters of a word up to one with a value. 1: one of them is of programs; -1: the next word is the value of one. */
static int judge_letters(const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct option_row *row = row_of(*letter);

		if (!row || strchr(of_programs, *letter))
			return row != NULL;
		if (row->argument)
			return letter[1] ? 0 : -1;
	}
	return 0;
}

bool dtrace_is_certain(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int judged = argv[i][0] == '-' && argv[i][1] != '-' ? judge_letters(argv[i]) : 0;

		if (judged > 0)
			return true;
		i += judged < 0;
	}
	return is_called_dtrace(argc, argv);
}

/* `erlbpf -h` and `erlbpf -V` are erlbpf's own; `erlbpf -n ...` and all that `dtrace` is called with are D's. */
bool dtrace_is_meant(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (is_called_dtrace(argc, argv))
		return true;
	if (word[0] == '-' && word[1] == '-')
		return dtrace_is_certain(argc, argv);
	if (word[0] != '-' || !word[1] || !row_of(word[1]))
		return false;
	return argc > 2 || (strcmp(word, "-h") != 0 && strcmp(word, "-V") != 0);
}

/* Room for what words become: each is at most one of these. False: no memory. */
static bool make_room(struct dtrace_command *command, size_t most)
{
	command->argv = calloc(most, sizeof(*command->argv));
	command->pids = calloc(most, sizeof(*command->pids));
	command->programs = calloc(most, sizeof(*command->programs));
	return command->argv && command->pids && command->programs;
}

enum dtrace_status dtrace_parse(struct dtrace_command *command, int argc, char **argv, FILE *errors)
{
	const char *called = called_by(argc > 0 ? argv[0] : NULL);
	struct option_reader reader = {
		.table = dtrace_options,
		.data = command,
		.word = take_word,
		.called = called,
		.help = strcmp(called, "dtrace") ? "erlbpf help dtrace" : "dtrace -h",
		.errors = errors,
	};
	enum dtrace_status status;

	*command = (struct dtrace_command){ .called = called };
	if (argc < 2) {
		dtrace_usage(errors, called);
		return DTRACE_USAGE;
	}
	if (!make_room(command, (size_t)argc + 1)) {
		fprintf(errors, "%s: %s\n", called, option_no_memory);
		return DTRACE_ERROR;
	}
	d_options_init(&command->options);
	command->options.max_overhead = percent_of_environment("ERLBPF_MAX_OVERHEAD", -1);
	d_options_environment(&command->options);
	command->options.consumer.program = called;
	command->argv[command->argc++] = argv[0];
	status = (enum dtrace_status)option_read(&reader, argc, argv);
	if (!status && command->pid_count && (command->run || target_selector_is_set(&command->common.options.select)))
		status = (enum dtrace_status)option_problem(
			&reader, command->run
					 ? "-c and -p cannot be combined"
					 : "-p cannot be combined with --node and other options that select nodes");
	if (command->mode != DTRACE_LIST)
		command->options.consumer.output = command->output;
	return status;
}

void dtrace_command_free(struct dtrace_command *command)
{
	for (size_t i = 0; i < command->program_count; i++)
		free(command->programs[i].name);
	free(command->programs);
	free(command->pids);
	free(command->argv);
	free(command->run);
	d_options_free(&command->options);
	*command = (struct dtrace_command){};
}
