// SPDX-License-Identifier: BSD-2-Clause
/* dtrace(1)'s command line: words to a command. */
#include "cli/dtrace/dtrace_command.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli/dtrace/dtrace.h"
#include "cli/options/words.h"
#include "base/arena.h"

#define MAX_WORDS 24

static struct dtrace_command command;
static char *errors;
static size_t errors_size;

static void end(void)
{
	dtrace_command_free(&command);
	free(errors);
	errors = NULL;
}

TestSuite(d_cmdline, .fini = end);

static char copy[1024];
static char *words[MAX_WORDS + 1];

/* A row's words are parted by '|', so that they may hold blanks. */
static int split(const char *line)
{
	int count = 0;

	cr_assert(lt(sz, strlen(line), sizeof(copy)));
	strcpy(copy, line);
	for (char *word = strtok(copy, "|"); word && count < MAX_WORDS; word = strtok(NULL, "|"))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static enum dtrace_status parse_line(const char *line)
{
	int count = split(line);
	FILE *to;
	enum dtrace_status status;

	end();
	to = open_memstream(&errors, &errors_size);
	status = dtrace_parse(&command, count, words, to);
	fclose(to);
	return status;
}

Test(d_cmdline, erlbpf_keeps_its_own_commands)
{
	static const struct {
		const char *line;
		bool is_meant;
	} rows[] = {
		{ "erlbpf", false },	     { "erlbpf|-h", false },	      { "erlbpf|--help", false },
		{ "erlbpf|-V", false },	     { "erlbpf|--version", false },   { "erlbpf|list|-v", false },
		{ "erlbpf|gc|-p|1", false }, { "erlbpf|help", false },	      { "erlbpf|-", false },
		{ "erlbpf|-k", false },	     { "erlbpf|-:", false },	      { "erlbpf|-n|BEGIN", true },
		{ "erlbpf|-qs|x.d", true },  { "/usr/sbin/erlbpf|-l", true }, { "erlbpf|-h|-n", true },
		{ "dtrace", true },	     { "/usr/sbin/dtrace|-h", true }, { "dtrace|gc", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int, dtrace_is_meant(split(rows[i].line), words), rows[i].is_meant), "%s", rows[i].line);
}

Test(d_cmdline, programs_stay_in_order)
{
	cr_assert(eq(int, (int)parse_line("dtrace|-n|BEGIN {x}|-s|a.d|-P|erlang|-m|m|-f|f|-i|7"), DTRACE_OK), "%s",
		  errors);
	cr_assert(eq(sz, command.program_count, 6));
	cr_expect(eq(int, (int)command.programs[0].by, DTRACE_BY_NAME));
	expect_text(command.programs[0].word, "BEGIN {x}");
	expect_text(command.programs[0].name, "BEGIN ");
	cr_expect(eq(int, (int)command.programs[1].by, DTRACE_BY_SCRIPT));
	expect_text(command.programs[1].name, "a.d");
	cr_expect(eq(int, (int)command.programs[2].by, DTRACE_BY_PROVIDER));
	cr_expect(eq(int, (int)command.programs[5].by, DTRACE_BY_ID));
	expect_text(command.called, "dtrace");
}

Test(d_cmdline, words_that_are_no_options_are_arguments_wherever_they_stand)
{
	cr_assert(eq(int, (int)parse_line("/usr/sbin/dtrace|-qs|x.d|one|-Z|two|-w|--|-three"), DTRACE_OK), "%s",
		  errors);
	cr_assert(eq(int, command.argc, 4));
	expect_text(command.argv[0], "/usr/sbin/dtrace");
	expect_text(command.argv[1], "one");
	expect_text(command.argv[2], "two");
	expect_text(command.argv[3], "-three");
	cr_expect(eq(ptr, command.argv[4], NULL));
	cr_expect(command.options.consumer.quiet);
	cr_expect(command.options.zero_ok);
	cr_expect(command.options.unit.is_destructive);
}

Test(d_cmdline, behind_two_dashes_all_words_are_arguments)
{
	cr_assert(eq(int, (int)parse_line("dtrace|-n|BEGIN|--|-q|--|-n|END"), DTRACE_OK), "%s", errors);
	cr_assert(eq(int, command.argc, 5));
	expect_text(command.argv[1], "-q");
	expect_text(command.argv[2], "--");
	expect_text(command.argv[4], "END");
	cr_expect(not(command.options.consumer.quiet));
	cr_assert(eq(int, (int)parse_line("dtrace|--|-q"), DTRACE_OK), "%s", errors);
	cr_expect(eq(int, command.argc, 2));
}

Test(d_cmdline, letters_are_options_too)
{
	cr_assert(eq(int,
		     (int)parse_line("erlbpf|-CFSj|-b|2m|-DX=1|-I|/inc|-U|Y|-x|strsize=64|-xerrtags|-o|out|-n|BEGIN|"
				     "-64|-H"),
		     DTRACE_OK),
		  "%s", errors);
	cr_expect(command.options.cpp);
	cr_expect(command.options.consumer.flow_indent);
	cr_expect(command.options.consumer.json);
	cr_expect(command.options.show_ir);
	cr_expect(command.options.error_tags);
	cr_expect(eq(u64, command.options.bufsize, 2 << 20));
	cr_expect(eq(sz, command.options.unit.strsize, 64));
	cr_assert(eq(sz, command.options.cpp_args.count, 4));
	expect_text(command.options.cpp_args.words[0], "-DX=1");
	expect_text(command.options.cpp_args.words[1], "-I/inc");
	expect_text(command.options.cpp_args.words[2], "-UY");
	expect_text(command.options.consumer.output, "out");
}

Test(d_cmdline, processes_are_numbers)
{
	cr_assert(eq(int, (int)parse_line("dtrace|-p|12|-p|34|-n|BEGIN"), DTRACE_OK));
	cr_assert(eq(sz, command.pid_count, 2));
	cr_expect(eq(int, command.pids[1], 34));
	cr_expect(eq(int, (int)parse_line("dtrace|-p|12x"), DTRACE_ERROR));
	expect_text(errors, "dtrace: -p \"12x\": expected a process number; see `dtrace -h`\n");
	cr_expect(eq(int, (int)parse_line("dtrace|-p|0"), DTRACE_ERROR));
	cr_expect(eq(int, (int)parse_line("dtrace|-p|99999999999999999999"), DTRACE_ERROR));
}

Test(d_cmdline, what_does_not_go_together_is_a_mistake_in_use)
{
	static const char *const lines[] = { "dtrace",		 "dtrace|-n",	     "dtrace|-y",
					     "dtrace|-G|-s|x.d", "dtrace|-l|-V",     "dtrace|-32",
					     "dtrace|-63",	 "dtrace|-c|a|-c|b", "dtrace|-c|a|-p|1" };

	for (size_t i = 0; i < COUNT(lines); i++) {
		cr_expect(eq(int, (int)parse_line(lines[i]), DTRACE_USAGE), "%s", lines[i]);
		cr_expect(gt(sz, errors_size, 0), "%s", lines[i]);
	}
}

Test(d_cmdline, an_option_that_is_wrong_is_named)
{
	cr_expect(eq(int, (int)parse_line("erlbpf|-x|strsise=10|-n|BEGIN"), DTRACE_ERROR));
	expect_text(errors, "erlbpf: -x \"strsise=10\": unknown option; see `erlbpf help dtrace`\n");
	cr_expect(eq(int, (int)parse_line("erlbpf|-X|z|-n|BEGIN"), DTRACE_ERROR));
	cr_expect(eq(int, (int)parse_line("erlbpf|-b|ten"), DTRACE_ERROR));
	expect_text(errors, "erlbpf: -b \"ten\": invalid value; see `erlbpf help dtrace`\n");
}

Test(d_cmdline, modes_are_told_apart)
{
	cr_assert(eq(int, (int)parse_line("dtrace|-lvn|BEGIN|-o|out"), DTRACE_OK));
	cr_expect(eq(int, (int)command.mode, DTRACE_LIST));
	cr_expect(eq(int, command.verbosity, 1));
	expect_text(command.output, "out");
	cr_expect(eq(ptr, (void *)(uintptr_t)command.options.consumer.output, NULL));
	cr_assert(eq(int, (int)parse_line("dtrace|-en|BEGIN"), DTRACE_OK));
	cr_expect(eq(int, (int)command.mode, DTRACE_RUN));
	cr_expect(command.compile_only);
	cr_assert(eq(int, (int)parse_line("dtrace|-V"), DTRACE_OK));
	cr_expect(eq(int, (int)command.mode, DTRACE_VERSION));
}

Test(d_cmdline, descriptions_get_the_parts_that_are_not_said)
{
	static const struct {
		enum dtrace_by by;
		const char *word, *expanded;
	} rows[] = {
		{ DTRACE_BY_NAME, "BEGIN { trace(1); }", "BEGIN { trace(1); }" },
		{ DTRACE_BY_PROVIDER, "erlang*", "erlang*:::" },
		{ DTRACE_BY_PROVIDER, "erlang* /pid == 1/ { x = a ? b : c; }",
		  "erlang*::: /pid == 1/ { x = a ? b : c; }" },
		{ DTRACE_BY_MODULE, "m{}", ":m::{}" },
		{ DTRACE_BY_MODULE, "p:m, m2 {}", "p:m::, :m2:: {}" },
		{ DTRACE_BY_FUNCTION, "f", "::f:" },
		{ DTRACE_BY_FUNCTION, "m:f", ":m:f:" },
		{ DTRACE_BY_FUNCTION, "p:m:f", "p:m:f:" },
		{ DTRACE_BY_FUNCTION, "f/2:", ":f/2::" },
		{ DTRACE_BY_FUNCTION, "beam:m:f/2", "beam:m:f:/2" },
		{ DTRACE_BY_MODULE, "a /1::b, c/3: {}", ":a:: /1::b::, c/3::: {}" },
		{ DTRACE_BY_FUNCTION, "", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *expanded = dtrace_expand(rows[i].by, rows[i].word);

		expect_text(expanded, rows[i].expanded);
		free(expanded);
	}
}

Test(d_cmdline, the_arity_of_a_function_ends_no_description)
{
	cr_expect(eq(sz, dtrace_descriptions_size("beam*:m:f/12:entry, m:g/0:entry /x/ {}"), 32));
	cr_expect(eq(sz, dtrace_descriptions_size("tick-1s /1/ {}"), 8));
	cr_expect(eq(sz, dtrace_descriptions_size("beam*:m:f/"), 9));
}

Test(d_cmdline, descriptions_with_more_parts_than_the_option_names_are_refused)
{
	static const struct {
		enum dtrace_by by;
		const char *word;
	} rows[] = {
		{ DTRACE_BY_PROVIDER, "a:b" },
		{ DTRACE_BY_PROVIDER, "a:::b {}" },
		{ DTRACE_BY_MODULE, "m, a:b::c" },
		{ DTRACE_BY_FUNCTION, "a:b:c:d" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(dtrace_is_overspecified(rows[i].by, rows[i].word), "%s", rows[i].word);
	cr_expect(not(dtrace_is_overspecified(DTRACE_BY_PROVIDER, "p, q /x ? y : z/ { a ? b : c }")));
	cr_expect(not(dtrace_is_overspecified(DTRACE_BY_MODULE, "p:m p:m, :m")));
	cr_expect(not(dtrace_is_overspecified(DTRACE_BY_NAME, "a:b:c:d")));
}

Test(d_cmdline, ids_are_numbers_from_1_on)
{
	const char *rest = NULL;

	cr_expect(eq(uint, dtrace_id("12 { x }", &rest), 12));
	expect_text(rest, " { x }");
	cr_expect(eq(uint, dtrace_id("7", &rest), 7));
	cr_expect(eq(uint, dtrace_id("0", &rest), 0));
	cr_expect(eq(uint, dtrace_id("7x", &rest), 0));
	cr_expect(eq(uint, dtrace_id("-7", &rest), 0));
	cr_expect(eq(uint, dtrace_id("99999999999", &rest), 0));
}

/* What a message looks like; `file` as the compiler knows it. */
static void expect_message(const char *line, const char *file, int number, const char *expected)
{
	struct unit unit = { .arena = arena_new() };
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	cr_assert(eq(int, (int)parse_line(line), DTRACE_OK), "%s", errors);
	unit.diag.arena = unit.arena;
	diag_error(&unit.diag, file, number, "D_SYNTAX", "no \x1b[1m");
	dtrace_print_messages(&command, &unit, to);
	dtrace_print_messages(&command, &unit, to);
	fclose(to);
	expect_text(text, expected);
	free(text);
	arena_free(unit.arena);
}

Test(d_cmdline, messages_name_the_program_its_line_and_the_tag)
{
	static const struct {
		const char *line, *file;
		int number;
		const char *expected;
	} rows[] = {
		{ "dtrace|-s|x.d", NULL, 3, "dtrace: failed to compile script x.d: line 3: no \\x1b[1m\n" },
		{ "erlbpf|-xerrtags|-s|x.d", NULL, 3,
		  "erlbpf: failed to compile script x.d: [D_SYNTAX] line 3: no \\x1b[1m\n" },
		{ "dtrace|-n|BEGIN {x", NULL, 1, "dtrace: invalid probe specifier BEGIN {x: no \\x1b[1m\n" },
		{ "dtrace|-n|a\nb", NULL, 2, "dtrace: invalid probe specifier a\nb: line 2: no \\x1b[1m\n" },
		{ "dtrace|-n|a|-s|x.d", "\x01program 1", 2,
		  "dtrace: failed to compile script x.d: line 2: no \\x1b[1m\n" },
		{ "dtrace|-s|x.d", "y.h", 7, "dtrace: failed to compile script x.d: \"y.h\", line 7: no \\x1b[1m\n" },
		{ "dtrace|-s|x.d", "\x01program 99", 0, "dtrace: no \\x1b[1m\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		expect_message(rows[i].line, rows[i].file, rows[i].number, rows[i].expected);
}

Test(d_cmdline, usage_names_every_letter)
{
	static const char given[] = "bcCDefFhHiIjlLmnopPqsSUvVwxXZ";
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	dtrace_usage(to, "dtrace");
	fclose(to);
	for (const char *letter = given; *letter; letter++) {
		char option[8];

		snprintf(option, sizeof(option), "\n  -%c ", *letter);
		if (!strstr(text, option))
			snprintf(option, sizeof(option), "\n  -%c\n", *letter);
		cr_expect(ne(ptr, strstr(text, option), NULL), "-%c", *letter);
	}
	free(text);
}

Test(d_cmdline, a_format_of_tools_is_no_function)
{
	cr_expect(eq(int, (int)parse_line("erlbpf|-n|BEGIN|-f|csv"), DTRACE_USAGE));
	cr_expect(ne(ptr, strstr(errors, "-j"), NULL), "%s", errors);
	cr_expect(eq(int, (int)parse_line("erlbpf|-f|:csv"), DTRACE_OK), "%s", errors);
	cr_expect(eq(int, (int)parse_line("dtrace|-f|csv"), DTRACE_OK), "%s", errors);
}

Test(d_cmdline, quotes_hold_words_of_a_command_together)
{
	char text[] = "erl -eval 'io:format(\"~p\", [1]).' \"a b\"";
	char *parts[16];

	cr_assert(eq(int, words_split(text, parts), 4));
	expect_text(parts[2], "io:format(\"~p\", [1]).");
	expect_text(parts[3], "a b");
}
