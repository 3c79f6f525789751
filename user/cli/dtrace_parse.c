// SPDX-License-Identifier: BSD-2-Clause
/*
 * The words of dtrace(1)'s command line. Options may stand anywhere between words that are arguments of the
 * program ($1, $2...), so getopt is called once more behind each of these.
 */
#include "cli/dtrace.h"
#include "cli/dtrace_command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

static const char letters[] = "+:6:b:c:CD:ef:FhHi:I:jlL:m:n:o:p:P:qs:SU:vVwx:X:Z";

const char *dtrace_called(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	return slash ? slash + 1 : argv0 && *argv0 ? argv0 : "erlbpf";
}

/* `erlbpf -h` and `erlbpf -V` are erlbpf's own; `erlbpf -n ...` and all that `dtrace` is called with are D's. */
bool dtrace_is_meant(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (argc > 0 && !strcmp(dtrace_called(argv[0]), "dtrace"))
		return true;
	if (word[0] != '-' || !word[1] || !strchr(letters + 2, word[1]) || word[1] == ':')
		return false;
	return argc > 2 || (strcmp(word, "-h") != 0 && strcmp(word, "-V") != 0);
}

static void print_synopsis(FILE *to, const char *called)
{
	fprintf(to,
		"usage: %s [-CeFHhjlqSvVwZ] [-b SIZE] [-c COMMAND] [-D NAME[=VALUE]] [-I FOLDER] [-o FILE]\n"
		"       [-p PID] [-U NAME] [-x NAME[=VALUE]] [-s FILE] [-n D] [-P D] [-m D] [-f D] [-i D] [args...]\n",
		called);
}

static void print_option(FILE *to, const struct d_option_help *option)
{
	_cleanup_free_ char *left = NULL;
	size_t size;
	FILE *spelling = open_memstream(&left, &size);

	if (!spelling)
		return;
	d_option_spell(spelling, option, "|");
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
	fprintf(to, "\nTaken for the sake of scripts, and without effect:");
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
	static const struct {
		const char *option, *help;
	} lines[] = {
		{ "-s FILE", "run the D program in FILE; what follows are its arguments $1, $2..." },
		{ "-n [[[PROVIDER:]MODULE:]FUNCTION:]NAME [[/PREDICATE/] {ACTION}]", "run this D program" },
		{ "-P PROVIDER ...", "the same, naming providers" },
		{ "-m [PROVIDER:]MODULE ...", "the same, naming modules" },
		{ "-f [[PROVIDER:]MODULE:]FUNCTION ...", "the same, naming functions" },
		{ "-i ID ...", "the same, naming a probe by the id that -l shows" },
		{ "-l", "list the probes that match, and run nothing" },
		{ "-e", "compile, and run nothing" },
		{ "-V", "the version" },
		{ "-h", "this help" },
		{ "-p PID", "trace this process; its pid is $target" },
		{ "-c COMMAND", "start COMMAND, trace it, end with it; its pid is $target" },
		{ "-o FILE", "append the output to FILE" },
		{ "-q", "print only what the program prints" },
		{ "-j", "print every record as a line of JSON" },
		{ "-F", "indent by calls of functions" },
		{ "-v", "with -l: arguments of probes; else: how stable is what the program uses" },
		{ "-w", "allow actions that change something: system(), raise(), freopen()..." },
		{ "-Z", "a description that matches no probe is no error" },
		{ "-x NAME[=VALUE]", "set an option, see below; DTRACE_OPT_NAME in the environment does, too" },
		{ "-b SIZE", "memory for records, like -x bufsize" },
		{ "-C", "run the C preprocessor on programs" },
		{ "-D NAME[=VALUE]", "define NAME for it" },
		{ "-U NAME", "undefine NAME" },
		{ "-I FOLDER", "look for its headers in FOLDER, too" },
		{ "-H", "name the files that it reads" },
		{ "-X a|c|s|t", "how strictly it follows the standard" },
		{ "-L FOLDER", "taken and without effect: there are no D libraries" },
		{ "-S", "print the intermediate code" },
		{ "-64", "taken and without effect: all programs are for 64 bits" },
	};

	print_synopsis(to, called);
	putc('\n', to);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		bool is_long = strlen(lines[i].option) > 21;

		fprintf(to, "  %-22s%s%*s%s\n", lines[i].option, is_long ? "\n" : "", is_long ? 24 : 0, "",
			lines[i].help);
	}
	print_options(to);
}

/* --- Programs ------------------------------------------------------------------------------------------ */

/* One description, without blanks around it: where its last part belongs is a matter of the colons. */
static void expand_one(FILE *to, enum dtrace_by by, const char *text, size_t size)
{
	static const int places[] = { [DTRACE_BY_PROVIDER] = 0, [DTRACE_BY_MODULE] = 1, [DTRACE_BY_FUNCTION] = 2 };
	int colons = 0;

	for (size_t i = 0; i < size; i++)
		colons += text[i] == ':';
	/* What is complete stays, and what has too many parts is for the parser to complain about. */
	if (colons > places[by]) {
		fprintf(to, "%.*s", (int)size, text);
		return;
	}
	for (int i = colons; i < places[by]; i++)
		putc(':', to);
	fprintf(to, "%.*s", (int)size, text);
	for (int i = places[by]; i < 3; i++)
		putc(':', to);
}

/* Descriptions end at the predicate, the action, or the end. */
static size_t descriptions_size(const char *text)
{
	return strcspn(text, "/{;");
}

char *dtrace_expand(enum dtrace_by by, const char *text)
{
	size_t size = descriptions_size(text), done = 0, all;
	char *expanded = NULL;
	FILE *to;

	if (by == DTRACE_BY_NAME || by == DTRACE_BY_SCRIPT || by == DTRACE_BY_ID)
		return strdup(text);
	to = open_memstream(&expanded, &all);
	if (!to)
		return NULL;
	while (done < size) {
		size_t blanks = strspn(text + done, " \t\n,"), n;

		blanks = blanks > size - done ? size - done : blanks;
		fprintf(to, "%.*s", (int)blanks, text + done);
		done += blanks;
		n = strcspn(text + done, " \t\n,/{;");
		if (n)
			expand_one(to, by, text + done, n);
		done += n;
	}
	fputs(text + size, to);
	return fclose(to) ? free(expanded), NULL : expanded;
}

unsigned int dtrace_id(const char *text, const char **rest)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
	if (!id || errno || id > UINT_MAX || (*end && !strchr(" \t\n/{;,", *end)))
		return 0;
	*rest = end;
	return (unsigned int)id;
}

/* --- Words ---------------------------------------------------------------------------------------------- */

struct state {
	struct dtrace_command *command;
	FILE *errors;
	int modes;
	int letter; /* that is being looked at */
};

static enum dtrace_status no_memory(const struct state *s)
{
	fprintf(s->errors, "%s: out of memory\n", s->command->called);
	return DTRACE_ERROR;
}

static enum dtrace_status add_program(const struct state *s, enum dtrace_by by, const char *word)
{
	struct dtrace_command *command = s->command;
	struct dtrace_program *program = &command->programs[command->program_count];
	size_t size = by == DTRACE_BY_SCRIPT ? strlen(word) : descriptions_size(word);

	*program = (struct dtrace_program){ .by = by, .word = word, .name = strndup(word, size), .first = 1 };
	if (!program->name)
		return no_memory(s);
	command->program_count++;
	return DTRACE_OK;
}

/* An option of the table that has a letter of its own, too: `shown` is what the user wrote. */
static enum dtrace_status set(const struct state *s, const char *name, const char *value, const char *shown)
{
	enum d_option_error error = d_option_set(&s->command->options, D_OPTION_COMMAND, name, value);

	if (!error)
		return DTRACE_OK;
	fprintf(s->errors, "%s: failed to set -%c%s%s: %s\n", s->command->called, s->letter, shown ? " " : "",
		shown ? shown : "", d_option_problem(error));
	return DTRACE_ERROR;
}

static enum dtrace_status set_x(const struct state *s, const char *word)
{
	const char *equals = strchr(word, '=');
	char *name = equals ? strndup(word, (size_t)(equals - word)) : strdup(word);
	enum dtrace_status status;

	if (!name)
		return no_memory(s);
	status = set(s, name, equals ? equals + 1 : NULL, word);
	free(name);
	return status;
}

static enum dtrace_status add_pid(const struct state *s, const char *word)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(word, &end, 10);
	if (!isdigit((unsigned char)*word) || *end || errno || pid <= 0 || pid > INT_MAX) {
		fprintf(s->errors, "%s: invalid pid: %s\n", s->command->called, word);
		return DTRACE_ERROR;
	}
	s->command->pids[s->command->pid_count++] = (pid_t)pid;
	return DTRACE_OK;
}

static enum dtrace_status set_command(const struct state *s, const char *word)
{
	if (s->command->run) {
		fprintf(s->errors, "%s: only one -c can be given\n", s->command->called);
		return DTRACE_USAGE;
	}
	s->command->run = strdup(word);
	return s->command->run ? DTRACE_OK : no_memory(s);
}

static enum dtrace_status set_mode(struct state *s, enum dtrace_mode mode)
{
	s->modes++;
	s->command->mode = mode;
	return DTRACE_OK;
}

static enum dtrace_status wrong_letter(const struct state *s, int letter)
{
	const char *called = s->command->called;

	if (letter == ':')
		fprintf(s->errors, "%s: option requires an argument -- '%c'\n", called, optopt);
	else
		fprintf(s->errors, "%s: invalid option -- '%c'\n", called, optopt);
	if (optopt == 'G')
		fprintf(s->errors, "%s: -G links D into ELF files; erlbpf reads the notes that files have\n", called);
	print_synopsis(s->errors, called);
	fprintf(s->errors, "`%s %s` explains them.\n", called, strcmp(called, "dtrace") ? "help dtrace" : "-h");
	return DTRACE_USAGE;
}

/* -f is the format of erlbpf's tools: csv must not be looked for as a function. */
static enum dtrace_status add_functions(const struct state *s, const char *word)
{
	const char *called = s->command->called;

	if (strcmp(called, "dtrace") && (!strcmp(word, "csv") || !strcmp(word, "json") || !strcmp(word, "text"))) {
		fprintf(s->errors,
			"%s: D programs have no -f %s: they print text, or lines of JSON with -j; -f names "
			"functions here, and -f :%s is the one called %s\n",
			called, word, word, word);
		return DTRACE_USAGE;
	}
	return add_program(s, DTRACE_BY_FUNCTION, word);
}

static enum dtrace_status take(struct state *s, int letter, const char *value)
{
	struct dtrace_command *command = s->command;

	s->letter = letter;
	switch (letter) {
	case '6': return strcmp(value, "4") ? optopt = '6', wrong_letter(s, '?') : DTRACE_OK;
	case 'b': return set(s, "bufsize", value, value);
	case 'c': return set_command(s, value);
	case 'C': return set(s, "cpp", NULL, NULL);
	case 'D': return set(s, "define", value, value);
	case 'e': command->compile_only = true; return DTRACE_OK;
	case 'f': return add_functions(s, value);
	case 'F': return set(s, "flowindent", NULL, NULL);
	case 'h': return set_mode(s, DTRACE_HELP);
	case 'H': return set(s, "cpphdrs", NULL, NULL);
	case 'i': return add_program(s, DTRACE_BY_ID, value);
	case 'I': return set(s, "incdir", value, value);
	case 'j': command->options.consumer.json = true; return DTRACE_OK;
	case 'l': return set_mode(s, DTRACE_LIST);
	case 'L': return set(s, "libdir", value, value);
	case 'm': return add_program(s, DTRACE_BY_MODULE, value);
	case 'n': return add_program(s, DTRACE_BY_NAME, value);
	case 'o': command->output = value; return DTRACE_OK;
	case 'p': return add_pid(s, value);
	case 'P': return add_program(s, DTRACE_BY_PROVIDER, value);
	case 'q': return set(s, "quiet", NULL, NULL);
	case 's': return add_program(s, DTRACE_BY_SCRIPT, value);
	case 'S': return set(s, "verbose", NULL, NULL);
	case 'U': return set(s, "undef", value, value);
	case 'v': command->verbosity++; return DTRACE_OK;
	case 'V': return set_mode(s, DTRACE_VERSION);
	case 'w': return set(s, "destructive", NULL, NULL);
	case 'x': return set_x(s, value);
	case 'X': return set(s, "stdc", value, value);
	case 'Z': return set(s, "zdefs", NULL, NULL);
	default: return wrong_letter(s, letter);
	}
}

/* Does getopt stand before "--"? Its own idea of what follows that goes wrong when it is called again. */
static bool is_at_end(int argc, char **argv)
{
	int at = optind ? optind : 1;

	return at < argc && !strcmp(argv[at], "--");
}

static enum dtrace_status take_options(struct state *s, int argc, char **argv)
{
	enum dtrace_status status = DTRACE_OK;
	int letter;

	while (!status && !is_at_end(argc, argv) && (letter = getopt(argc, argv, letters)) != -1)
		status = take(s, letter, optarg);
	return status;
}

static enum dtrace_status take_all(struct state *s, int argc, char **argv)
{
	struct dtrace_command *command = s->command;

	opterr = 0;
	optind = 0; /* begin anew: glibc keeps its place within a word */
	for (;;) {
		enum dtrace_status status = take_options(s, argc, argv);

		if (status)
			return status;
		if (is_at_end(argc, argv))
			break;
		if (optind >= argc)
			return DTRACE_OK;
		command->argv[command->argc++] = argv[optind++];
	}
	for (int i = (optind ? optind : 1) + 1; i < argc; i++)
		command->argv[command->argc++] = argv[i];
	return DTRACE_OK;
}

static enum dtrace_status check(const struct state *s)
{
	const struct dtrace_command *command = s->command;

	if (s->modes > 1) {
		fprintf(s->errors, "%s: only one of -h, -l and -V can be given\n", command->called);
		return DTRACE_USAGE;
	}
	if (command->run && command->pid_count) {
		fprintf(s->errors, "%s: -c and -p do not go together\n", command->called);
		return DTRACE_USAGE;
	}
	return DTRACE_OK;
}

enum dtrace_status dtrace_parse(struct dtrace_command *command, int argc, char **argv, FILE *errors)
{
	struct state s = { .command = command, .errors = errors };
	enum dtrace_status status;
	size_t most = (size_t)argc + 1;

	*command = (struct dtrace_command){ .called = dtrace_called(argc > 0 ? argv[0] : NULL) };
	if (argc < 2) {
		dtrace_usage(errors, command->called);
		return DTRACE_USAGE;
	}
	/* Each of these is at most one per word. */
	command->argv = calloc(most, sizeof(*command->argv));
	command->pids = calloc(most, sizeof(*command->pids));
	command->programs = calloc(most, sizeof(*command->programs));
	if (!command->argv || !command->pids || !command->programs)
		return no_memory(&s);
	d_options_init(&command->options);
	d_options_environment(&command->options);
	command->options.consumer.program = command->called;
	command->argv[command->argc++] = argv[0];
	status = take_all(&s, argc, argv);
	if (!status)
		status = check(&s);
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
