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
#include "cli/options/option_text.h"
#include "cli/options/select_options.h"

#define DEFAULT_OVERHEAD 5 /* percent of the CPU time that a node uses */

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

static const char *take_user(void *data, const char *text)
{
	return select_take_user(&((struct dtrace_command *)data)->select, text);
}

/* --- The table --------------------------------------------------------------------------------------------- */

#define TO(member) .to = offsetof(struct dtrace_command, member)

/* An option of -x that has a letter of its own. What it refuses ends with 1, as in dtrace(1). */
#define X(option) .take_as = set, .as = #option, .refused = DTRACE_ERROR

static const struct option_row rows[] = {
	{ .letter = 's',
	  .argument = "FILE",
	  .section = "Programs",
	  .help = "run the D program in FILE; other words are its arguments $1, $2...",
	  .manual = "Run the program in _FILE_; _-_ is standard input. $0 is _FILE_.",
	  .take = take_script,
	  .offer = OFFER_SCRIPTS },
	{ .letter = 'n',
	  .argument = "D",
	  .spelled = "-n [[[PROVIDER:]MODULE:]FUNCTION:]NAME [[/PREDICATE/] {ACTION}]",
	  .help = "run this D program",
	  .manual = "Run this program. A description without an action prints each hit.",
	  .take = take_name },
	{ .letter = 'P',
	  .argument = "D",
	  .spelled = "-P PROVIDER ...",
	  .help = "the same, naming providers",
	  .manual = "The same with a description that names a provider. A predicate and an action may follow in the "
		    "same\n"
		    "word, as they may behind *-m*, *-f* and *-i*.",
	  .take = take_provider },
	{ .letter = 'm',
	  .argument = "D",
	  .spelled = "-m [PROVIDER:]MODULE ...",
	  .help = "the same, naming modules",
	  .take = take_module },
	{ .letter = 'f',
	  .argument = "D",
	  .spelled = "-f [[PROVIDER:]MODULE:]FUNCTION ...",
	  .help = "the same, naming functions",
	  .take = take_function },
	{ .letter = 'i',
	  .argument = "D",
	  .spelled = "-i ID ...",
	  .help = "the same, naming a probe by the id that -l shows",
	  .take = take_id },
	{ .letter = 'l',
	  .help = "list the probes that match",
	  .section = "Actions",
	  .manual = "List the probes that match; without a program, all of them. With *-v* also the stability of each, "
		    "its\n"
		    "arguments with their types, which function of the VM is probed instead if its note cannot be "
		    "used,\n"
		    "and known faults. With *-j*, a line of JSON per probe.",
	  .take = take_list },
	{ .letter = 'e',
	  .help = "only compile",
	  .manual = "Compile and report errors, but do not run the program.",
	  .kind = OPTION_FLAG,
	  TO(compile_only) },
	{ .letter = 'v',
	  .help = "with -l: arguments of probes; otherwise: stability of probes and variables",
	  .manual = "Without *-l*: print the stability of the probes and variables that each program uses.",
	  .kind = OPTION_MORE,
	  TO(verbosity) },
	{ .letter = 'S',
	  .help = "print the compiler's intermediate code",
	  .manual = "Print the compiler's intermediate code on standard error.",
	  X(verbose) },
	{ .letter = 'V',
	  .help = "print the version",
	  .manual = "Print the version. (*erlbpf -V* alone is *erlbpf --version*.)",
	  .take = take_version },
	{ .letter = 'h',
	  .help = "print this help; with -s FILE.d, write FILE.h for the providers declared in it",
	  .manual =
		  "Print a summary of these options. (*erlbpf -h* alone is *erlbpf help*.) With *-s* _FILE_.d, which "
		  "declares providers (_provider p { probe q(int); };_), write _FILE_.h, or the file of *-o*: for each "
		  "probe it has the macros _P_Q(...)_, the probe, and _P_Q_ENABLED()_, whether it is traced. Programs "
		  "that include it are compiled with the <sys/sdt.h> of systemtap, and linked as they are.",
	  .take = take_help },
	{ .letter = 'p',
	  .argument = "PID",
	  .help = "trace this process; its pid is $target",
	  .section = "Processes",
	  .manual = "Trace this process: the provider erlang has only its probes, the trace ends with it, and $target "
		    "is\n"
		    "its pid. May be repeated; $target is the first.",
	  .take = take_pid,
	  .refused = DTRACE_ERROR, /* as dtrace(1) */
	  .offer = OFFER_PIDS },
	{ .letter = 'c',
	  .argument = "COMMAND",
	  .help = "start COMMAND, trace it, end with it; its pid is $target",
	  .manual = "Start _COMMAND_ when the probes are in place, trace it, and end with it. $target is its pid. "
		    "Quotes keep\n"
		    "words together.",
	  .take = take_command,
	  .offer = OFFER_COMMANDS },
	SELECT_ROWS(0, struct dtrace_command, select, take_user),
	{ .name = "no-wait",
	  .help = "do not wait for a node that does not run yet",
	  .manual =
		  "If *--node* or another option selects nodes and none of them runs, the program starts, and traces\n"
		  "them when they come. With this option, that no probe matches is an error, as it is without such an\n"
		  "option.",
	  .kind = OPTION_FLAG,
	  TO(no_wait) },
	{ .letter = 'q', .help = "print only what the program prints", .section = "Output", X(quiet) },
	{ .letter = 'o',
	  .argument = "FILE",
	  .help = "append the output to FILE",
	  .manual = "Append the output to _FILE_.",
	  .kind = OPTION_TEXT,
	  TO(output),
	  .offer = OFFER_FILES },
	{ .letter = 'j',
	  .help = "print every record as a line of JSON",
	  .manual = "Print every record as a line of JSON; see *JSON lines of D* below. There is no CSV.",
	  .kind = OPTION_FLAG,
	  TO(options.consumer.json) },
	{ .letter = 'F',
	  .help = "indent by call depth",
	  .manual = "Indent by call depth: a probe named entry increases it, a probe named return decreases it.",
	  X(flowindent) },
	{ .letter = 'w',
	  .help = "allow destructive actions: system(), raise(), freopen()...",
	  .manual = "Allow destructive actions: system(), freopen(), ftruncate(), raise(), stop()...",
	  X(destructive) },
	{ .letter = 'Z', .help = "a description that matches no probe is not an error", X(zdefs) },
	{ .letter = 'x',
	  .argument = "NAME[=VALUE]",
	  .help = "set an option, see below; or set DTRACE_OPT_NAME in the environment",
	  .manual = "Set an option; see *Options of -x* below.",
	  .take = take_x,
	  .refused = DTRACE_ERROR, /* as dtrace(1) */
	  .offer = OFFER_D_OPTIONS },
	{ .letter = 'b',
	  .argument = "SIZE",
	  .help = "memory for records, like -x bufsize",
	  .manual = "Memory for records, as *-x* bufsize.",
	  X(bufsize) },
	{ .letter = 'C', .help = "run the C preprocessor on programs", .section = "Preprocessor", X(cpp) },
	{ .letter = 'D', .argument = "NAME[=VALUE]", .help = "define NAME for the preprocessor", X(define) },
	{ .letter = 'U', .argument = "NAME", .help = "undefine NAME for the preprocessor", X(undef) },
	{ .letter = 'I',
	  .argument = "DIR",
	  .help = "the preprocessor also searches DIR for headers",
	  X(incdir),
	  .offer = OFFER_FOLDERS },
	{ .letter = 'H', .help = "print the names of the files that the preprocessor reads", X(cpphdrs) },
	{ .letter = 'X',
	  .argument = "a|c|s|t",
	  .help = "the standard of the preprocessor: s is that before ISO C",
	  .manual = "The standard that the preprocessor follows: *s* is that before ISO C, *a*, *c* and *t* are C99.",
	  X(stdc) },
	{ .letter = 'L',
	  .argument = "DIR",
	  .help = "load the D libraries in DIR, the files *.d, before the programs",
	  .manual = "Load the D libraries in _DIR_ before the programs: each file in it that ends in .d, by name. A\n"
		    "library has declarations, such as inlines and translators, and no clauses. One that depends on a\n"
		    "library (_#pragma D depends_on library NAME_) that is not there is left out. May be repeated.",
	  X(libdir),
	  .offer = OFFER_FOLDERS },
	{ .letter = '6',
	  .argument = "4",
	  .spelled = "-64",
	  .help = "accepted, no effect: all programs are 64-bit",
	  .take = take_64 },
	{ .letter = '3', .argument = "2", .take = refuse_32 },
	{ .letter = 'G', .take = refuse_elf },
};

const struct option_table dtrace_options = { .rows = rows, .count = sizeof(rows) / sizeof(*rows) };

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
	option_print_help(to, &dtrace_options);
	print_options(to);
}

/* --- The line as a whole ------------------------------------------------------------------------------------ */

static const struct option_row *row_of(char letter)
{
	for (size_t i = 0; i < dtrace_options.count; i++) {
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
	command->options.max_overhead = percent_of_environment("ERLBPF_MAX_OVERHEAD", DEFAULT_OVERHEAD);
	d_options_environment(&command->options);
	command->options.consumer.program = called;
	command->argv[command->argc++] = argv[0];
	status = (enum dtrace_status)option_read(&reader, argc, argv);
	if (!status && command->pid_count && (command->run || target_selector_is_set(&command->select)))
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
