// SPDX-License-Identifier: BSD-2-Clause
/* The command line of a tool that takes everything. */
#include "cli/options/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "check.h"
#include "erl.h"

#define TAKES_SOME (TAKES_BY_PID | TAKES_BY_NODE | TAKES_MIN | TAKES_ERL_PID | TAKES_GLOB)
#define TAKES_ALL (TAKES_SOME | TAKES_ALL_OF_TOOLS)
#define MAX_WORDS 16

/* A row's words are parted by '|', so that they may hold blanks. */
static int split(char *line, char **words)
{
	int count = 0;

	words[count++] = check_text("tool");
	for (char *word = strtok(line, "|"); word; word = strtok(NULL, "|"))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static int parse(const char *line, unsigned int takes, struct parsed *parsed)
{
	static char copy[1024];
	static char *words[MAX_WORDS];
	int count;

	cr_assert(lt(sz, strlen(line), sizeof(copy)));
	strcpy(copy, line);
	count = split(copy, words);
	return parse_options("tool", takes, count, words, parsed);
}

static const struct options *parsed_of(const char *line)
{
	static struct parsed parsed;

	cr_assert(eq(int, parse(line, TAKES_ALL, &parsed), EXIT_OK), "%s", line);
	return &parsed.options;
}

Test(cli_parse, without_words_everything_is_traced_until_told_to_stop)
{
	const struct options *o = parsed_of("");

	cr_expect(eq(sz, o->pid_count, 0));
	cr_expect(eq(u64, o->duration_ns, 0));
	cr_expect(eq(u64, o->interval_ns, 0));
	cr_expect(eq(int, (int)o->source, SOURCE_ANY));
	cr_expect(eq(int, (int)o->format, SINK_TEXT));
	cr_expect(not(o->allow_denied));
	cr_expect(not(o->strict));
	expect_text(o->glob, "*");
}

Test(cli_parse, words_are_a_glob_an_interval_and_a_count)
{
	static const struct {
		const char *line, *glob;
		uint64_t interval_ns, count;
	} rows[] = {
		{ "gc_*", "gc_*", 0, 0 },
		{ "5", "*", 5 * NS_PER_S, 0 },
		{ "500ms|3", "*", 500 * NS_PER_MS, 3 },
		{ "gc_*|1|10", "gc_*", NS_PER_S, 10 },
		{ "-i|2m|--count=4", "*", 120 * NS_PER_S, 4 },
		{ "-j|message-*|1", "message-*", NS_PER_S, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct options *o = parsed_of(rows[i].line);

		expect_text(o->glob, rows[i].glob, "%s", rows[i].line);
		cr_expect(eq(u64, o->interval_ns, rows[i].interval_ns), "%s", rows[i].line);
		cr_expect(eq(u64, o->count, rows[i].count), "%s", rows[i].line);
	}
}

Test(cli_parse, options_are_understood)
{
	const struct options *o = parsed_of("-d|1.5|-T|-m|-f|csv|-o|out.csv|--strict|--unsafe|--min|250us");

	cr_expect(eq(u64, o->duration_ns, 1500 * NS_PER_MS));
	cr_expect(o->show_time && o->milliseconds && o->strict && o->allow_denied);
	cr_expect(eq(int, (int)o->format, SINK_CSV));
	expect_text(o->output, "out.csv");
	cr_expect(eq(u64, o->min_ns, 250 * NS_PER_US));
	o = parsed_of("--by|pid|--erl-pid|<0.91.0>|--source|symbol|--node|rabbit|-j");
	cr_expect(eq(int, (int)o->by, TAKES_BY_PID));
	cr_expect(eq(u64, o->erl_pid, erl_id_make(ERL_ID_LOCAL, 91, 0)));
	cr_expect(eq(int, (int)o->source, SOURCE_SYMBOL));
	cr_expect(eq(int, (int)o->format, SINK_JSON));
	expect_text(o->select.node, "rabbit");
}

Test(cli_parse, processes_are_listed_with_commas_or_one_by_one)
{
	static const char *const lines[] = { "-p|1,22,333", "-p1,22|-p|333", "--pid=1|--pid|22,333" };

	for (size_t i = 0; i < COUNT(lines); i++) {
		const struct options *o = parsed_of(lines[i]);

		cr_assert(eq(sz, o->pid_count, 3), "%s", lines[i]);
		cr_expect(eq(int, o->pids[0], 1), "%s", lines[i]);
		cr_expect(eq(int, o->pids[1], 22), "%s", lines[i]);
		cr_expect(eq(int, o->pids[2], 333), "%s", lines[i]);
	}
}

Test(cli_parse, verbosity_goes_up_and_down)
{
	static const struct {
		const char *line;
		int verbosity;
	} rows[] = { { "", 0 }, { "-q", -1 }, { "-v", 1 }, { "-vv", 2 }, { "-v|-v", 2 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct parsed parsed;

		cr_assert(eq(int, parse(rows[i].line, TAKES_ALL, &parsed), EXIT_OK));
		cr_expect(eq(int, parsed.verbosity, rows[i].verbosity), "%s", rows[i].line);
	}
}

Test(cli_parse, a_command_is_split_at_blanks_but_not_inside_of_quotes)
{
	static const struct {
		const char *line;
		const char *words[4];
	} rows[] = {
		{ "-c|erl", { "erl" } },
		{ "-c|erl -noshell  -sname x", { "erl", "-noshell", "-sname", "x" } },
		{ "-c| erl ", { "erl" } },
		{ "-c|a 'b c' d", { "a", "b c", "d" } },
		{ "-c|a \"b 'c\" d", { "a", "b 'c", "d" } },
		{ "-c|a b'c d'e", { "a", "bc de" } },
		{ "-c|a '' b", { "a", "", "b" } },
		{ "-c|a\tb\nc", { "a", "b", "c" } },
	};

	/* The words of a command live as long as the process. */
	static struct parsed parsed[COUNT(rows)];

	for (size_t i = 0; i < COUNT(rows); i++) {
		char **words;

		cr_assert(eq(int, parse(rows[i].line, TAKES_ALL, &parsed[i]), EXIT_OK));
		words = parsed[i].options.command;
		for (size_t n = 0; n < COUNT(rows[i].words); n++) {
			expect_text(words[n], rows[i].words[n], "%s, word %zu", rows[i].line, n);
			if (!rows[i].words[n])
				break;
		}
	}
}

static const char *const mistakes[] = {
	"-p|0",
	"-p|-1",
	"-p|x",
	"-p|1,",
	"-p|,1",
	"-p|1,,2",
	"-p|1 ,2",
	"-p|1x",
	"-p|2147483648",
	"-p|99999999999999999999",
	"-p",
	"-d|0",
	"-d|-1",
	"-d|x",
	"-d",
	"-i|0",
	"-i|1x",
	"-i|inf",
	"0",
	"1|0",
	"1|-1",
	"1|2|3",
	"a|b",
	"--count=0|-i|1",
	"--count=1x|-i|1",
	"--count=-1|-i|1",
	"--count=99999999999999999999|-i|1",
	"--count=3",
	"--by|x",
	"--by|pi",
	"--by",
	"--erl-pid|x",
	"--erl-pid|<1.2.3>",
	"--erl-pid|#Port<0.1>",
	"--min|0",
	"--min|x",
	"-f|xml",
	"-f",
	"--source|any",
	"--source|x",
	"-c|",
	"-c| ",
	"-c|a 'b",
	"-c|a \"b",
	"-c|a|-p|1",
	"--node|x|-p|1",
	"--nothing",
	"-Z",
	"--strict=1",
};

static int exit_code_of(const char *line, unsigned int takes)
{
	static struct parsed parsed;

	return parse(line, takes, &parsed);
}

Test(cli_parse, mistakes_end_with_the_exit_code_for_usage)
{
	for (size_t i = 0; i < COUNT(mistakes); i++)
		cr_expect(eq(int, exit_code_of(mistakes[i], TAKES_ALL), EXIT_USAGE), "%s", mistakes[i]);
}

Test(cli_parse, a_tool_refuses_what_only_others_take)
{
	static const char *const lines[] = {
		"--by|pid", "--by|node", "--erl-pid|<0.1.0>", "--min|1ms", "gc_*",
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		cr_expect(eq(int, exit_code_of(lines[i], 0), EXIT_USAGE), "%s", lines[i]);
		cr_expect(eq(int, exit_code_of(lines[i], TAKES_ALL), EXIT_OK), "%s", lines[i]);
	}
	cr_expect(eq(int, exit_code_of("--by|node", TAKES_BY_PID), EXIT_USAGE));
}

Test(cli_parse, a_function_is_named_wholly_or_by_its_beginning)
{
	static const struct {
		const char *line;
		int code;
	} rows[] = {
		{ "ets:insert/2", EXIT_OK },
		{ "ets:*", EXIT_OK },
		{ "ets:ins*", EXIT_OK },
		{ "*", EXIT_OK },
		{ "'Elixir.Enum':map/2", EXIT_OK },
		{ "", EXIT_USAGE },
		{ "ets", EXIT_USAGE },
		{ "ets:insert", EXIT_USAGE },
		{ "*:insert/2", EXIT_USAGE },
		{ "e*:*", EXIT_USAGE },
		{ "a:0123456789012345678901234567890123456789012345678901234567890/12", EXIT_USAGE },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int, exit_code_of(rows[i].line, TAKES_FUNCTIONS | TAKES_ALL_OF_TOOLS), rows[i].code), "%s",
			  rows[i].line);
}

Test(cli_parse, breakpoints_of_the_vm_are_asked_for_with_a_function_and_nodes)
{
	static const struct {
		const char *line;
		int code;
	} rows[] = {
		{ "shop:order/2|--via|vm|-p|1", EXIT_OK },
		{ "s*p:*|--via|vm|--node|shop", EXIT_OK },
		{ "s*p:*|--via|vm|-p|1|--show|--call-limit|10|--cookie-file|/x", EXIT_OK },
		{ "--via|vm|-p|1", EXIT_USAGE },
		{ "shop:order/2|--via|vm", EXIT_USAGE },
		{ "shop:order|--via|vm|-p|1", EXIT_USAGE },
		{ "shop:order/2|--via|magic|-p|1", EXIT_USAGE },
		{ "shop:order/2|-p|1|--show", EXIT_USAGE },
		{ "shop:order/2|-p|1|--call-limit|10", EXIT_USAGE },
		{ "shop:order/2|-p|1|--cookie-file|/x", EXIT_USAGE },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int,
			     exit_code_of(rows[i].line, TAKES_FUNCTIONS | TAKES_VIA | TAKES_SHOW | TAKES_ALL_OF_TOOLS),
			     rows[i].code),
			  "%s", rows[i].line);
}

Test(cli_parse, beginnings_of_calls_are_seen_by_debug_registers)
{
	static const struct {
		const char *line;
		int code;
	} rows[] = {
		{ "shop:order/2|--entry", EXIT_OK },
		{ "shop:order/2|--via|hw", EXIT_OK },
		{ "shop:*|--entry|--show|--call-limit|10", EXIT_OK },
		{ "shop:order/2|--entry|--when|arg(1) == 1", EXIT_OK },
		{ "shop:order/2|--entry|--via|vm|-p|1|--cookie-file|/x", EXIT_OK },
		{ "shop:order/2|--entry|--via|vm", EXIT_USAGE },
		{ "--entry", EXIT_USAGE },
		{ "--via|hw", EXIT_USAGE },
		{ "shop:order/2|--entry|--min|1ms", EXIT_USAGE },
		{ "shop:order/2|--via|hw|--when|result() == 1", EXIT_USAGE },
		{ "shop:order/2|--entry|--via|vm|-p|1|--when|result() == 1", EXIT_USAGE },
		{ "shop:order/2|--via|hw|--cookie-file|/x", EXIT_USAGE },
		{ "shop:order/2|--via|hw|--show|--by|pid", EXIT_USAGE },
		{ "shop:order/2|--entry|--by|pid|--sort|max", EXIT_USAGE },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int,
			     exit_code_of(rows[i].line, TAKES_FUNCTIONS | TAKES_VIA | TAKES_SHOW | TAKES_MIN |
								TAKES_BY_PID | TAKES_ALL_OF_TOOLS),
			     rows[i].code),
			  "%s", rows[i].line);
}

Test(cli_parse, no_more_processes_are_taken_than_there_is_room_for)
{
	char line[8 + 2 * OPTIONS_MAX_PIDS] = "-p|1";

	for (int i = 1; i < OPTIONS_MAX_PIDS; i++)
		strcat(line, ",1");
	cr_expect(eq(int, exit_code_of(line, TAKES_ALL), EXIT_OK));
	strcat(line, ",1");
	cr_expect(eq(int, exit_code_of(line, TAKES_ALL), EXIT_USAGE));
}

Test(cli_parse, the_version_is_shown_and_all_is_well)
{
	cr_expect(eq(int, exit_code_of("-V", TAKES_ALL), EXIT_OK));
}
