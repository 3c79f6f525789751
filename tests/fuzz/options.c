// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any words as a command line: lines of the input, behind two bytes that say of which command. 0xff: of dtrace(1). What
 * is refused has a reason; what is taken is within the limits that the rest relies on. Then any word as a list of words
 * of -c, a length of time, an Erlang pid, a function with its prototype.
 */
#include "base/duration.h"
#include "cli/dtrace/dtrace.h"
#include "cli/dtrace/dtrace_command.h"
#include "cli/options/parse.h"
#include "cli/options/words.h"
#include "fuzz.h"
#include "node/memory/erlid.h"
#include "probe/prototype.h"

#define MOST_WORDS 64

struct line {
	char *words[MOST_WORDS + 1];
	int count;
};

/* What is said goes nowhere. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__lsan_default_suppressions(void);

/* The words of -c live as long as the process, as conditions do; these may be so deep that no other function is seen.
 */
const char *__lsan_default_suppressions(void)
{
	return "leak:take_command\nleak:when_parse\nleak:parse_part\n";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	stderr = fopen("/dev/null", "w");
	return 0;
}

static void split(char *text, struct line *line)
{
	char *word;

	while (line->count < MOST_WORDS && (word = strsep(&text, "\n")))
		line->words[line->count++] = word;
	line->words[line->count] = NULL;
}

static void check_tool(struct line *line, unsigned int takes)
{
	static struct parsed parsed;
	const struct options *o = &parsed.options;
	int code = parse_options("tool", takes, line->count, line->words, &parsed);

	must(code == EXIT_OK || code == EXIT_USAGE || code == EXIT_FAILED, "the exit code is one");
	if (code == EXIT_OK && !parsed.wants_help && !parsed.wants_version) {
		must(o->pid_count <= OPTIONS_MAX_PIDS, "there are no more pids than there is room for");
		for (size_t i = 0; i < o->pid_count; i++)
			must(o->pids[i] > 0, "a pid is one");
		must(o->glob, "something is to be traced");
		must(!o->count || o->interval_ns, "a count is one of intervals");
		must(o->functions.spec.prototype.argc <= OPERAND_ARGUMENTS, "a function has few arguments");
		must(!(target_selector_is_set(&o->select) && o->pid_count), "nodes are selected, or processes named");
	}
}

static void check_dtrace(struct line *line)
{
	struct dtrace_command command;
	enum dtrace_status status;

	dtrace_is_meant(line->count, line->words);
	status = dtrace_parse(&command, line->count, line->words, stderr);
	must(status <= DTRACE_USAGE, "the status is one");
	must(command.program_count <= (size_t)line->count && command.pid_count <= (size_t)line->count &&
		     command.argc <= line->count,
	     "there is no more than there are words");
	for (size_t i = 0; i < command.program_count; i++) {
		const char *rest;
		char *text = dtrace_expand(command.programs[i].by, command.programs[i].word);

		must(text && command.programs[i].name, "a program has a text and a name");
		dtrace_id(command.programs[i].word, &rest);
		free(text);
	}
	dtrace_command_free(&command);
}

static void check_word(const char *word)
{
	char *copy = strdup(word), text[ERLID_SIZE], again[32], **words = calloc(strlen(word) / 2 + 2, sizeof(*words));
	struct function_spec spec;
	const char *why = NULL;
	uint64_t value, same;

	if (!erlid_parse(word, &value))
		must(!erlid_parse(erlid_format(value, text), &same) && same == value, "a pid is itself");
	if (!duration_parse(word, NS_PER_S, &value))
		must(strlen(duration_format(value, again)) < sizeof(again), "a length of time has a short text");
	if (function_spec_parse(word, &spec, &why))
		must(why && *why, "a function is refused with a reason");
	words_split(copy, words);
	free(words);
	free(copy);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct line line = {};
	unsigned int takes;
	char *text;

	if (size < sizeof(takes))
		return;
	memcpy(&takes, data, sizeof(takes));
	text = fuzz_text(data + sizeof(takes), size - sizeof(takes));
	split(text, &line);
	for (int i = 0; i < line.count; i++)
		check_word(line.words[i]);
	if (data[0] == 0xff)
		check_dtrace(&line);
	else
		check_tool(&line, takes);
	free(text);
}
