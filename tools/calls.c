// SPDX-License-Identifier: BSD-2-Clause
/* calls: how long calls of BIFs, NIFs and functions take. See bpf/calls.bpf.c. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

#include "calls.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "kind", COLUMN_TEXT, -9, false },
	{ "function", COLUMN_TEXT, -32, false }, { "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false },	 { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_WHAT, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

static const char *const kinds[CALLS_KINDS] = {
	[CALLS_BIF] = "bif",
	[CALLS_NIF] = "nif",
	[CALLS_DIRTY_NIF] = "dirty nif",
	[CALLS_FUNCTION] = "function",
};

/* Up to one of the characters in `end`; "*" ends it too, and then more may follow. What comes behind. */
static const char *take_part(const char *text, const char *end, struct pattern *part)
{
	size_t length = strcspn(text, end);

	part->is_prefix = text[length] == '*';
	for (size_t i = 0; i < length && part->size < sizeof(part->text) - 1; i++) {
		if (text[i] != '\'' || end[1] == '\0')
			part->text[part->size++] = text[i];
	}
	return text + length;
}

/* MODULE:FUNCTION/ARITY, or its beginning and "*". Atoms are compared without their quotes. */
static void parse_pattern(const char *text, struct calls_pattern *pattern)
{
	const char *at;

	pattern->is_any = !strcmp(text, "*");
	pattern->arity = -1;
	take_part(text, "*", &pattern->text);
	at = take_part(text, ":*", &pattern->module);
	at = *at == ':' ? take_part(at + 1, "/*", &pattern->function) : at;
	pattern->function.is_prefix |= pattern->module.is_prefix || !pattern->function.size;
	if (at[0] == '/' && at[1] && at[1] != '*')
		pattern->arity = atoi(at + 1);
}

static int configure(struct run *run)
{
	struct calls_pattern pattern = {};

	parse_pattern(run_options(run)->glob, &pattern);
	return run_set(run, "calls_pattern", &pattern, sizeof(pattern));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[CALLS_ACCOUNTS] = {
		[CALLS_UNENDED] = { .name = "unended",
				    .text = "functions were not seen to return",
				    .one = "function was not seen to return" },
		[CALLS_DEEP] = { .name = "deep",
				 .text = "functions were nested too deep to be measured",
				 .one = "function was nested too deep to be measured" },
		[CALLS_HANDED_OVER] = { .name = "handed_over",
					.text = "calls of dirty NIFs were moved to a dirty scheduler",
					.one = "call of a dirty NIF was moved to a dirty scheduler" },
	};

	return run_accounts(run, accounts, CALLS_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "time in a call",
	.unit = "ns",
	.metric = "call",
};

static const struct tool_probe not_always[] = {
	{ "erlang:nif-entry", NEEDED_NEVER, .without = "calls of NIFs are not seen" },
	{ "erlang:nif-return", NEEDED_NEVER },
	{ "erlang:local-function-entry", NEEDED_NEVER },
	{ "erlang:global-function-entry", NEEDED_NEVER },
	{ "erlang:function-return", NEEDED_NEVER },
	{ "erlang:process-exit", NEEDED_NEVER },
	{},
};

const struct tool tool_calls = {
	.name = "calls",
	.summary = "how long calls of BIFs, NIFs and functions take",
	.nothing = "no BIF or NIF was called",
	.instead = "`erlbpf help calls` lists what is not",
	.description =
		"Measures calls of BIFs and NIFs from call to return; --by function groups them by function. A\n"
		"BIF that traps (works in several steps) counts once for each step. A NIF that continues on a\n"
		"dirty scheduler counts once, there. Not measured are BIFs that the JIT compiles inline\n"
		"(arithmetic, comparisons, most guards). On VMs with notes but without the JIT, calls of\n"
		"Erlang functions are measured too.\n"
		"With --via vm, Erlang functions of a VM with the JIT are measured, named as above or by any glob\n"
		"('shop_*:*'), 1000 of a node at most. erlbpf connects to the node as a hidden node and asks it for\n"
		"breakpoints of the VM (trace_pattern with call_count and call_time; under OTP 27 and later in a "
		"trace\n"
		"session of its own). A process on the node removes them when erlbpf ends, however it ends, or if "
		"there\n"
		"are too many calls (--call-limit). A function that somebody traces is left alone, and the node is "
		"not\n"
		"traced. Where that costs the node too much, calls are measured part of the time (--max-overhead);\n"
		"between these windows the VM only counts them, which takes about 20 ns. Counts are those of the VM\n"
		"then: what was seen of a function is scaled to all its calls, and `entered` in the summary is exact.\n"
		"Exceptions are scaled in the same way.\n"
		"--show prints each call when it ends, with arguments, result "
		"and callers; --show --min the "
		"slow ones.\n"
		"The call that a function makes as its last act is part of its own time. If it calls itself so, as a\n"
		"loop does, that is one call. Calls that end by an exception are not in the histogram: a table counts\n"
		"them by function, class and reason (of a tuple, its first element), and --min prints them with the\n"
		"kind `exception`. NIFs are native code, which is not measured so. The summary has all calls\n"
		"(entered), those ended by exceptions (raised) or with their process (unreturned), those by which a\n"
		"function goes on in itself (tail), and those within more than 32 others (deep). What probes add is\n"
		"taken off, also for calls within the call; the VM's breakpoints, 0.3 to 1 us for each of them, are "
		"not.\n"
		"--by caller and --by arg --arg N group the calls by the function that "
		"called,\n"
		"and by an argument.\n"
		"With --entry, calls of Erlang functions are counted when they begin, or shown (--show); how long "
		"they\n"
		"take is not measured. This is done by the debug registers of the processor (--via hw, x86-64): four\n"
		"functions at most, and nothing of the node changes. A loop counts each time that it calls itself, as\n"
		"call_count does. Code that is loaded again is found within 0.1 s. On a virtual machine this takes\n"
		"--unsafe, since a hit can end the node there (see SAFETY in the manual), and a call took 5 to 6 us\n"
		"more. There, or for more functions, --entry --via vm counts by breakpoints of the VM. If all\n"
		"that is asked for is how often each function was called, these are the VM's own counters: exact,\n"
		"without a probe, 20 ns a call. With --show, --when, --erl-pid or --by "
		"another\n"
		"key, a probe looks at each call, which took 1.7 us.\n"
		"Each measured call becomes 1 to 2 us slower. A busy node calls very many BIFs, so name the\n"
		"ones that you need: MODULE:FUNCTION/ARITY, or the beginning of that and \"*\"; those of Elixir also\n"
		"as Shop.Cart.add/2. A node that has no BIF or NIF of this name is not traced, and the message says\n"
		"why. Times include about 0.3 us of the probes themselves, and about 15 us for a few tiny BIFs\n"
		"(self/0, comparisons).",
	.examples = "# Which BIFs and NIFs take the most time?\n"
		    "erlbpf calls '*' --by function -d 10\n"
		    "# Every operation on ETS tables of 1 ms or more, when it ends\n"
		    "erlbpf calls 'ets:*' --min 1ms\n"
		    "# Which processes call binary_to_term, and how long does it take?\n"
		    "erlbpf calls 'erlang:binary_to_term*' --by name\n"
		    "# How long do calls of an Erlang function take, and what is it given and returns?\n"
		    "erlbpf calls 'shop:order/2' --via vm --node shop\n"
		    "erlbpf calls 'shop:order/2' --via vm --node shop --show --min 10ms\n"
		    "# How often are these functions called, by whom, and with what? Nothing of the node changes.\n"
		    "erlbpf calls 'shop:order/2' --entry -i 1\n"
		    "erlbpf calls 'shop:order/2' --entry --by caller -d 10\n"
		    "erlbpf calls 'shop:order/2' --entry --show --when 'arg(1) == vip'\n"
		    "# Which calls return {error, Reason}, with which arguments, and who calls?\n"
		    "erlbpf calls 'shop:*' --via vm --node shop --show --when 'element(1, result()) == error'",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_MIN | TAKES_ERL_PID |
		 TAKES_FUNCTIONS | TAKES_SHOW | TAKES_VIA | TAKES_BY_CALLER | TAKES_BY_ARGUMENT,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = calls_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = functions_columns,
	.kinds = { kinds, CALLS_KINDS },
	.hist = &hist,
	.not_always = not_always,
	.via_vm = &tool_functions,
	.of_entries = &tool_entries,
	.configure = configure,
	.notes = notes,
};
